# compare-shapes.py PROFILER OPERATORS: equal calls of each name and inputs, for operators without lists of tensors, whose
# tensors the profiler does not name.
import collections
import json
import re
import sys

NAMES = {"unsigned char": "uint8", "signed char": "int8", "short int": "int16", "int": "int32", "long int": "int64",
         "c10::Half": "float16", "float": "float32", "double": "float64", "c10::complex<c10::Half>": "complex32",
         "c10::complex<float>": "complex64", "c10::complex<double>": "complex128", "bool": "bool",
         "c10::BFloat16": "bfloat16", "c10::Float8_e5m2": "float8_e5m2", "c10::Float8_e4m3fn": "float8_e4m3fn",
         "short unsigned int": "uint16", "unsigned int": "uint32", "long unsigned int": "uint64"}

events, operators = (json.load(open(path)) for path in sys.argv[1:])
want, lists, seen = collections.Counter(), set(), set()
for name, dtypes, shapes in events:
    if any(dtype in ("TensorList", "GenericList") for dtype in dtypes):
        lists.add(name)
    tensors = [(NAMES[d], s) for d, s in zip(dtypes, shapes) if d in NAMES]
    seen.update(d for d, _ in tensors)
    want[name, " ".join(f"{d}[{','.join(map(str, s))}]" for d, s in tensors)] += 1
got = collections.Counter()
for o in operators["operators"]:
    if o["kind"] == "operator":
        got[o["name"], re.sub(r" [a-z_]+(=[0-9,]+)?(?= |$)", "", o["shapes"] or "")] += o["calls"]
names = {name for name, _ in got} - lists
assert len(names) > 3 and all("?" not in shapes for _, shapes in got)
for key in sorted(want.keys() | got.keys()):
    if key[0] in names:
        assert want[key] == got[key], (key, want[key], got[key])
print(len(names), "names,", len(got), "rows,", sorted(seen))
