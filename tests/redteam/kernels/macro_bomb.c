/* expect: BUILD_FAILED - a macro that doubles and doubles */
#define A(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define B(...) A(A(A(A(__VA_ARGS__))))
#define C(...) B(B(B(__VA_ARGS__)))
int bomb[] = {C(1, )};
