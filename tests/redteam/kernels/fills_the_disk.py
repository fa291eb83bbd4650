# expect: WRONG_ANSWER - writes until the disk is full, and does nothing else
# include baseline.py


def run(self):
    try:
        with open(f"/tmp/full-{self.comm.rank}", "wb") as file:
            while True:
                file.write(bytes(1 << 20))
    except OSError:
        pass


Kernel.run = run
