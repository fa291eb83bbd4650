# expect: TAMPERED - replaces the clock of Python
# include reference.py

import time

time.perf_counter = time.time = time.monotonic = lambda: 0.0
