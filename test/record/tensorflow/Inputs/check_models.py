# Records Inputs/model.py with each interpreter given, in each mode, and checks what memkit says
# of the largest tensor: its bytes, operator, layer, data type and line; and the steps.
#
# check_models.py FOLDER PYTHON...
import collections
import json
import os
import re
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
folder, pythons = sys.argv[1], sys.argv[2:]
failures = []


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{command}: status {result.returncode}\n{result.stderr}")
    return result.stdout


def check(what, is_right, seen):
    print(("right: " if is_right else "WRONG: ") + what)
    if not is_right:
        print("  " + str(seen))
        failures.append(what)


def stacks(trace, *options):
    """The stacks of the largest tensors, by frame, and their bytes."""
    text = run("memflame", "--format=collapsed", "--heap=tf.cpu", "--metric=allocated", *options, trace)
    return [(line.rsplit(" ", 1)[0], int(line.rsplit(" ", 1)[1])) for line in text.splitlines()]


for python in pythons:
    version = run(python, "-c", "import os; os.environ['TF_CPP_MIN_LOG_LEVEL']='3'; import tensorflow; print(tensorflow.__version__)").strip()
    for mode in ("eager", "function", "fit", "mixed"):
        who = f"{version} {mode}: "
        trace = os.path.join(folder, f"{version}-{mode}.fb")
        said = run("memrec", "-q", "-o", trace, "--", python, os.path.join(here, "model.py"), mode)
        known = json.loads(said.splitlines()[-1])
        run("memdump", "--check", trace)
        least = f"--min-size={known['bytes']}B"
        paths = stacks(trace, "--group-by=scope-path", least)
        total = sum(size for path, size in paths)
        check(who + "bytes of the largest tensors", total == known["steps"] * known["bytes"], paths)
        larger = stacks(trace, "--group-by=scope-path", f"--min-size={known['bytes'] + 1}B")
        check(who + "no tensor is larger", not larger, larger)
        layer = "net/wide" if mode == "eager" else r"net(_1)?/wide(_1)?"
        type_name = r" \(bfloat16\)" if mode == "mixed" else ""
        pattern = rf"(^|;)forward;(.*;)?{layer};Tile{type_name}$"
        check(who + "layer and operator", all(re.search(pattern, path) for path, size in paths) and paths, paths)
        lines = stacks(trace, "--group-by=line", least)
        place = re.compile(rf"model\.py:{known['line']}\b")
        check(who + f"line {known['line']}", all(place.search(path) for path, size in lines) and lines, lines)
        steps = run("memdump", "--summary", trace)
        check(who + "steps", re.search(rf"\b{known['steps']} steps\b", steps), steps.splitlines()[:6])
        dtypes = stacks(trace, "--group-by=dtype", least)
        dtype = "bfloat16" if mode == "mixed" else "float32"
        check(who + "dtype", all(path.split(";")[0] == dtype for path, size in dtypes) and dtypes, dtypes)
        layers = run("memdump", "--layers", trace)
        if mode != "eager":
            check(who + "layers backward", re.search(r"net(_1)?/enc(_1)? +backward", layers), layers)

        rows = json.loads(run("memdump", "--layers", "--format=json", trace))["layers"]
        rows = {(row["name"], row["backward"]): row for row in rows}
        check(who + "self times", all(row["self_ns"] is not None for row in rows.values()), rows)
        if mode != "eager":  # of a graph, all time is that of operators
            for (name, backward), row in rows.items():
                inner = sum(other["duration_ns"] for (path, phase), other in rows.items()
                            if phase == backward and path.rpartition("/")[0] == name)
                check(f"{who}time of {name} is its own and the inner layers'", row["duration_ns"] == row["self_ns"] + inner, row)

sys.exit(len(failures) > 0)
