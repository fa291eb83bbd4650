# expect: CRASHED - writes an answer of its own into the pipe to the runner
# include baseline.py

import glob
import os


def run(self):
    for name in glob.glob("/tmp/mpilab-*/*/rank-*.answers") + glob.glob("/proc/self/fd/*"):
        try:
            fd = os.open(name, os.O_WRONLY | os.O_NONBLOCK)
            os.write(fd, b'{"body":{"type":"Answer","value":{"status":"returned"}},"arrays":[99999999999]}\n')
            os.write(fd, b"\x80\x04\x95" + b"A" * 100000 + b"\n")
        except OSError:
            pass
    os._exit(0)


Kernel.run = run
