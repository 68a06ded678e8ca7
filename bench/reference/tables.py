"""The side of pandas and Python in bench/csv.mjs: a statement a line, answered by its CPU nanoseconds. The first argument is the folder."""
import json
import os
import sys
import time

import numpy as np
import pandas as pd

names = {"pd": pd, "np": np, "json": json, "pandas": pd.__version__, "numpy": np.__version__}
os.chdir(sys.argv[1])

for line in sys.stdin:
    code = compile(json.loads(line), "bench", "exec")
    begun = time.process_time_ns()
    exec(code, names)
    print(time.process_time_ns() - begun, flush=True)
