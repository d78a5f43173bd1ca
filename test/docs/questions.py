# Each question of docs/HowTo/Questions.md is answered by its command, within the number of
# lines that the page says, and rightly.
#
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %src_root/docs/HowTo/Questions.md %t
import os
import re
import subprocess
import sys
import time

MOST_LINES = 12
PROGRAMS = {
    "peak": """
import mmap
table = bytearray(60_000_000)
index = bytearray(20_000_000)
untouched = mmap.mmap(-1, 200_000_000)
import time
time.sleep(2)  # a sample comes, on a busy machine too
""",
    "layers": """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.small = torch.nn.Linear(64, 64)
        self.large = torch.nn.Linear(64, 4096)
    def forward(self, x):
        return self.large(self.small(x))
model = Model()
kept = model(torch.ones(512, 64))
""",
    "leak": """
import memkit
kept = []
def handle(request):
    kept.append(bytes(5000 + request))
for request in range(60):
    memkit.step()
    handle(request)
""",
    "churn": """
def lookup(number):
    return bytes(1000 + number % 7)
for number in range(1_100_000):
    lookup(number)
""",
    "before": """
def load():
    return bytearray(40_000_000)
rows = load()
""",
    "after": """
def load():
    return bytearray(40_000_000)
rows = load()
copy = bytes(rows)
""",
    "service": """
import sys
cache = bytearray(50_000_000)
sys.stdin.read()
""",
}
# By the question's first words: the programs of the traces, the answer, and the exit status.
ANSWERS = {
    "Which line of my code": ("peak", r"held by .*peak\.py:3", 0),
    "Which layer": ("layers", r"large", 0),
    "What leaks": ("leak", r"LEAK +leak\.py:5 handle", 0),
    "What changed": ("before after", r"peak \+38\.\d MiB", 0),
    "Which line is to blame": ("before after", r"\+38\.\d MiB.* after\.py:5", 0),
    "Why is the resident": ("peak", r"resident .* never touched", 0),
    "Which line allocates": ("churn", r"Most temporary allocations: 1,1\d\d,\d\d\d .*churn\.py:3 lookup", 0),
    "How did memory": ("peak", r"MiB", 0),
    "Did the change": ("before after", r"peak \+38\.\d MiB \(\+\d+", 3),
    "What holds the memory of a service": ("service", r"held by .*service\.py:3", 0),
}


def record(name, folder, trace):
    """Records a program; a service is left running."""
    program = folder + "/" + name + ".py"
    with open(program, "w", encoding="utf-8") as file:
        file.write(PROGRAMS[name])
    command = ["memrec", "-q", "--force", "-o", trace, "--", sys.executable, program]
    if name != "service":
        subprocess.run(command, check=True)
        return None
    running = subprocess.Popen(command, stdin=subprocess.PIPE)
    for _ in range(100):
        time.sleep(0.1)
        text = subprocess.run(["memstat", "-q", trace], capture_output=True, text=True, check=False).stdout
        if "service.py:3" in text:
            break
    return running


def ask(command, folder, pattern):
    """The number of lines until the answer, and the exit status."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False,
                          env=environment)
    for number, line in enumerate(done.stdout.splitlines(), 1):
        if re.search(pattern, line):
            return number, done.returncode
    raise AssertionError(f"{command}: no {pattern} in\n{done.stdout}{done.stderr}")


page, folder = sys.argv[1:]
rows = re.findall(r"^\| (.+?) \| `(.+)` \| (\d+) \|$", open(page, encoding="utf-8").read(), re.M)
assert len(rows) == len(ANSWERS) == 10, rows
for question, command, promised in rows:
    key = next(key for key in ANSWERS if question.startswith(key))
    programs, pattern, status = ANSWERS[key]
    try:
        __import__("torch")
    except ImportError:
        if programs == "layers":
            continue
    names = programs.split()
    traces = ["trace.fb"] if len(names) == 1 else ["before.fb", "after.fb"]
    running = None
    for name, trace in zip(names, traces):
        running = record(name, folder, folder + "/" + trace)
    try:
        lines, returned = ask(command, folder, pattern)
    finally:
        if running:
            running.communicate()  # its input ends, so the service ends
    print(f"{lines:3} of {promised}  {question}")
    assert returned == status, (command, returned)
    assert lines <= int(promised) <= MOST_LINES, (question, lines)
