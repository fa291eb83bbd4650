# expect: CRASHED - starts a program that outlives it
# include baseline.py

import subprocess


def run(self):
    subprocess.Popen(["sleep", "1000"], start_new_session=True)


Kernel.run = run
