# compare-categories.py TRUTH ASM: whether what categories.py has found stands in the trace
# (memdump --format=asm): blocks and bytes of each category at each moment, exactly; and at
# the peak of the heap those of the parameters and of the optimizer's state, at most a
# twentieth unknown.
import collections
import json
import re
import sys

strings, heaps, section = {}, {}, ""
at = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
peak = {}
with open(sys.argv[2], encoding="utf-8", errors="replace") as asm:
    for line in asm:
        if not line[0].isspace():
            section = line.split()[0]
        line = line.strip()
        fields = dict(re.findall(r"([\w-]+)=(\S+)", line))
        if match := re.match(r'string (\d+) (".*")$', line):
            strings[match[1]] = json.loads(match[2])
        elif match := re.match(r"heap (\d+) name=(\S+)", line):
            heaps[match[1]] = strings.get(match[2]) or json.loads(match[2])
        elif match := re.match(r"heap (\d+) .*peak-bytes=(\d+)", line):
            peak[heaps[match[1]]] = int(match[2])
        # Partial sections have the same rows again.
        elif line.startswith("category ") and section == "summary" and heaps[fields["heap"]] == "torch.cpu":
            category = at[int(fields.get("oom", 0))][line.split()[1]]
            category[0] += int(fields["blocks"])
            category[1] += int(fields["bytes"])

truth = json.load(open(sys.argv[1]))
moments = {i + 1: m for i, m in enumerate(truth)}
bad = 0
for number, moment in moments.items():
    for category in ("parameter", "gradient", "optimizer-state"):
        if at[number][category] != moment[category]:
            print("%s: %s: %s in the trace, %s in truth" % (moment["name"], category,
                                                            at[number][category], moment[category]))
            bad += 1
last = truth[-1]
for category in ("parameter", "optimizer-state"):
    if at[0][category] != last[category]:
        print("peak: %s: %s in the trace, %s in truth" % (category, at[0][category], last[category]))
        bad += 1
total = sum(bytes_ for blocks, bytes_ in at[0].values())
print("peak: %d bytes of %d, %s" % (total, peak["torch.cpu"],
                                    {k: tuple(v) for k, v in sorted(at[0].items())}))
bad += total != peak["torch.cpu"] or at[0]["unknown"][1] > total / 20
bad += len(at) != len(truth) + 1 and len(truth) <= 8
sys.exit(bad)
