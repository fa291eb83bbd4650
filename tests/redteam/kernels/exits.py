# expect: CRASHED - ends the engine as if all were well
# include baseline.py

import os


def run(self):
    os._exit(0)


Kernel.run = run
