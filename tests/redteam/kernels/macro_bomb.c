/* expect: BUILD_FAILED - a macro that doubles and doubles */
#define A(x) x x x x x x x x x x x x x x x x
#define B(x) A(A(A(A(x))))
#define C(x) B(B(B(x)))
int bomb[] = {C(1,)};
