# expect: BUILD_FAILED - imports the oracle, and fails without it
# include baseline.py

import sys

sys.path += ["labs/ring", "/work/main/labs/ring"]
import oracle
