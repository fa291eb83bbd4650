# expect: BUILD_FAILED - imports the oracle, and fails without it
# include baseline.py

import sys

sys.path += ["labs/ring", "COURSE/labs/ring"]
import oracle
