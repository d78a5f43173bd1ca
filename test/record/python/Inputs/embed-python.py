# embed-python.py CC SOURCE FOLDER: builds SOURCE with each interpreter that has headers
# and a library, and runs it under memrec with objects. What it says must be what it says
# alone, and what lives at its end is what its last round has made.
import json
import os
import subprocess
import sys

from pythons import interpreters

compiler, source, folder = sys.argv[1:4]
os.makedirs(folder, exist_ok=True)
program, trace = os.path.join(folder, "embed"), os.path.join(folder, "embed.fb")
code = ("import sysconfig as s; v = s.get_config_var; import sys\n"
        "print(v('INCLUDEPY'), v('LIBDIR'), v('LDVERSION'), sys.base_prefix)")


def live(function):
    report = json.loads(subprocess.check_output(
        ["memleak", "--format=json", "--heap=python.object", "--no-default-suppressions",
         "--stack=" + function, trace]))
    return sorted(f["blocks"] for f in report["findings"])


def build(python):
    include, libraries, version, prefix = subprocess.check_output(
        [python, "-c", code], text=True).split()
    library = os.path.join(libraries, "libpython%s.so" % version)
    if not os.path.exists(include + "/Python.h") or not os.path.exists(library):
        return None
    subprocess.run([compiler, "-O1", "-I" + include, source, "-o", program, library,
                    "-Wl,-rpath," + libraries], check=True)
    return dict(os.environ, PYTHONHOME=prefix)


done = 0
for python, version in interpreters().items():
    env = build(python)
    if not env:
        continue
    alone = subprocess.run([program], env=env, stdout=subprocess.PIPE)
    ours = subprocess.run(["memrec", "-q", "--force", "--python-objects", "-o", trace, "--",
                           program], env=env, stdout=subprocess.PIPE)
    subprocess.run(["memdump", "--check", trace], check=True, stdout=subprocess.DEVNULL)
    found = {f: live("make_" + f) for f in ("first", "second", "third", "inner")}
    is_good = ((ours.returncode, ours.stdout) == (alone.returncode, alone.stdout)
               == (0, b"three rounds\n") and 3003 in found["third"]
               and max(found["first"] + found["second"] + [0]) < 100
               and sum(n for n in found["inner"] if n >= 3333) == 2 * 3333)
    print(version, "as alone" if is_good else "FAILED %s %s %s" % (alone, ours, found))
    done += is_good
print("versions:", done)
