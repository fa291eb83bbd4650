# expect: TAMPERED - changes the modules that host it
# include baseline.py

import sys

for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("mpilab"):
        for name in ("_burst", "called", "_aftermath"):
            if hasattr(module, name):
                setattr(module, name, lambda *args, **kw: {})
