# The CPythons of the machine: of MEMKIT_PYTHONS (folders with interpreters, or with
# folders of them; pyenv's root unless given) and /usr/bin/python3.
import glob
import os
import subprocess


def interpreters():
    """Their paths, oldest first, with their versions: {"/usr/bin/python3": "3.11"}."""
    folders = os.environ.get("MEMKIT_PYTHONS") or os.path.expanduser("~/.pyenv/versions")
    found = {}
    for folder in folders.split(os.pathsep) + ["/usr"]:
        for path in glob.glob(folder + "/bin/python3") + glob.glob(folder + "/*/bin/python3"):
            code = "import sys; print('%d.%d' % sys.version_info[:2], sys.implementation.name)"
            run = subprocess.run([path, "-c", code], stdout=subprocess.PIPE, text=True)
            version, _, name = run.stdout.strip().partition(" ")
            if name == "cpython" and version.startswith("3.") and 8 <= int(version[2:]) <= 14:
                found[os.path.realpath(path)] = version
    return {p: found[p] for p in sorted(found, key=lambda p: (int(found[p][2:]), p))}
