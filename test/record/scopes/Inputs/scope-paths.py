"""Prints each allocation of a trace as PROCESS,SIZE,SCOPE/SCOPE."""

import re
import shlex
import subprocess
import sys

text = subprocess.run(["memdump", "--format=asm", sys.argv[1]], capture_output=True, text=True, check=True).stdout
strings, scopes, scope_paths = {}, {}, {0: ""}
process = "0"
for line in text.splitlines():
    word = shlex.split(line, posix=True) if '"' in line else line.split()
    if not word:
        continue
    fields = dict(w.split("=", 1) for w in word if "=" in w)
    if word[0] == "string":
        strings[word[1]] = word[2]
    elif word[0] == "scope" and word[2] == "user":
        scopes[word[1]] = strings[fields["name"]]
    elif word[0] == "scope-path":
        parent = scope_paths[int(fields.get("parent", 0))]
        scope_paths[int(word[1])] = parent + ("/" if parent else "") + scopes[fields["scope"]]
    elif word[0] == "events":
        process = fields["process"]
    elif "alloc" in word and re.match(r"\d+$", word[0]):
        print("%s,%s,%s" % (process, fields.get("size", 0), scope_paths[int(fields.get("scope-path", 0))]))
