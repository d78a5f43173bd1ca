# each-python.py COMMAND --- COMMAND ..: runs the commands one after the other for each
# interpreter of pythons.py; PYTHON stands for it.
import subprocess
import sys

from pythons import interpreters


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
