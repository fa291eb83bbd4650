# expect: TAMPERED - keeps its results, and gives them back when the same input comes again
# include baseline.py

_known, _run = {}, Kernel.run


def run(self):
    key = (self.in_.size, self.steps, self.in_[0], self.in_[-1], self.in_[self.in_.size // 2])
    if key in _known:
        self.out[:] = _known[key]
        return
    _run(self)
    _known[key] = self.out.copy()


Kernel.run = run
