"""What bash would offer for some beginnings of command lines."""

import subprocess
import sys

folder = sys.argv[1]
for line in ("memstat --fo", "memstat --format=", "memstat --format=j", "memstat tr",
             "memkit sta", "memkit stat --fo", "memkit top --format=", "memkit nothing --fo"):
    # As readline splits words: `=` is a word.
    words = line.replace("=", " = ").split()
    before = words[-2] if len(words) > 1 else ""
    script = f"""
. "{folder}/{words[0]}"
COMP_WORDS=({' '.join(words)}) COMP_CWORD={len(words) - 1}
_{words[0]} {words[0]} '{words[-1]}' '{before}' 2>/dev/null
echo "${{COMPREPLY[*]}}"
"""
    out = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, text=True, check=True).stdout
    print(f"{line}: {out.strip()}".rstrip())
