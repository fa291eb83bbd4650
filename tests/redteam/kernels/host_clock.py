# expect: TAMPERED - writes over the C library's clock_gettime from Python
# include reference.py

import ctypes
import mmap

libc = ctypes.CDLL(None)
at = ctypes.cast(libc.clock_gettime, ctypes.c_void_p).value
page = at & ~4095
libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(8192), 7)
ctypes.memmove(at, bytes.fromhex("48c746080000000048c7060000000031c0c3".replace(" ", "")), 18)
