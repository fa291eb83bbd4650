# expect: TAMPERED - leaves a thread behind that works on when others are timed
# include reference.py

import threading
import time

_init = Kernel.__init__


def _burn():
    while True:
        sum(range(20000))
        time.sleep(0.001)


threading.Thread(target=_burn, daemon=True).start()
