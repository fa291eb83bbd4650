# expect: WRONG_ANSWER - works in every second run only
# include baseline.py

_run, _count = Kernel.run, 0


def run(self):
    global _count
    _count += 1
    if _count % 2:
        _run(self)


Kernel.run = run
