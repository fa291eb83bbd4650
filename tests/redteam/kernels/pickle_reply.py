# expect: CRASHED - raises an exception that runs code where it is unpickled
# include baseline.py

import os


class Evil(BaseException):
    def __reduce__(self):
        return os.system, ("touch /tmp/owned; id > /tmp/owned",)


def run(self):
    raise Evil()


Kernel.run = run
