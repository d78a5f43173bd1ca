# each-python.py COMMAND --- COMMAND ..: runs the commands one after the other for each
# interpreter from 3.8 on in MEMKIT_PYTHONS, the system's and this one; PYTHON stands for
# it.
import glob
import os
import subprocess
import sys


def runs(path):
    test = "import sys; print(sys.version_info[:2] >= (3, 8) and sys.implementation.name)"
    try:
        out = subprocess.run([path, "-c", test], capture_output=True, text=True, timeout=60).stdout
    except OSError:
        return False
    return out.strip() == "cpython"


def interpreters():
    found = {}
    for folder in os.environ.get("MEMKIT_PYTHONS", "").split(":"):
        for path in sorted(glob.glob(os.path.join(folder, "*", "bin", "python3"))):
            found.setdefault(os.path.realpath(path), path)
    for path in "/usr/bin/python3", sys.executable:
        found.setdefault(os.path.realpath(path), path)
    return [path for path in found.values() if runs(path)]


commands = [[]]
for word in sys.argv[1:]:
    if word == "---":
        commands.append([])
    else:
        commands[-1].append(word)
done = 0
for python in interpreters():
    for command in commands:
        command = [python if word == "PYTHON" else word for word in command]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            sys.exit("%s\n%s: %d\n%s%s" % (python, " ".join(command), result.returncode,
                                           result.stdout, result.stderr))
        sys.stdout.write(result.stdout)
    done += 1
print("interpreters:", done)
sys.exit(done == 0)
