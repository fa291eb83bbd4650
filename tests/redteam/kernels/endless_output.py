# expect: CRASHED - prints without end
# include baseline.py


def run(self):
    while True:
        print("x" * 100000)


Kernel.run = run
