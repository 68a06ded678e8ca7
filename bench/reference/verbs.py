"""NumPy's side of bench/numpy.mjs: a request a line, JSON, answered by a line: the data of one size made, or a statement's CPU nanoseconds."""
import json
import sys
import time

import numpy as np

names = {}


def make(folder, n):
    random = np.random.default_rng(7)
    ints = lambda most: random.integers(0, most, n).astype(np.int32)
    names.clear()
    names.update(np=np, a=ints(1000003), c=ints(1000003), k=ints(1000), f=random.random(n), g=random.random(n))
    names["b"] = ints(n)
    names["v"] = np.sort(names["a"])
    names["m"], names["w"] = random.random((300, 300)), random.random((300, 300))
    texts = np.array(["s%d" % i for i in range(1000)])
    names["s"], names["t"] = texts[names["k"]], texts[ints(1000)]
    for name in "ackbv":
        names[name].tofile(folder + "/" + name)
    for name in "fgmw":
        names[name].tofile(folder + "/" + name)
    for name in "st":
        with open(folder + "/" + name, "w") as file:
            file.write("\n".join(names[name]) + "\n")


def run(statement, times):
    code = compile("for _ in range(%d): r = %s" % (times, statement), "bench", "exec")
    begun = time.process_time_ns()
    exec(code, names)
    return (time.process_time_ns() - begun) / times


for line in sys.stdin:
    request = json.loads(line)
    if "folder" in request:
        make(request["folder"], request["n"])
        answer = {"python": sys.version.split()[0], "numpy": np.__version__}
    else:
        answer = run(request["statement"], request["times"])
    print(json.dumps(answer), flush=True)
