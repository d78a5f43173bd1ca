# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A made-up trace of train_leak.py on a device, and its answers by the contract of the page."""

import bisect
import math
import random

MIB = 1 << 20
END = 11_300_000_000
FIRST_STEP, LAST_STEP, STEPS = 7_200_000_000, 10_900_000_000, 60
RATE = 1_184_890
PEAK = 359_661_568
HOSTILE = ["<script>alert(1)</script>", "\"'`</style><img src=x onerror=alert(2)>", "evil\u202egnp.exe\u0000\u001b[31mred\nline",
           "L" * 10_000, "", "\ud83d\ude00 名前 עברית"]


class Refused(Exception):
    """A request that the server answers with a sentence."""


def step_begin(number):
    return FIRST_STEP + (LAST_STEP - FIRST_STEP) * (number - 1) // STEPS


# Text, file, line, source, kind of each name.
NAMES = [
    ("<module>", "train_leak.py", 24, "import torch", 0), ("import: torch", "", 0, "", 2),
    ("<module>", "train_leak.py", 142, "main()", 0), ("main", "train_leak.py", 134, "validation = validate(model, held_out, 2, options.length)", 0),
    ("validate", "train_leak.py", 111, "return loss_of(model, data, batch, length)", 0),
    ("loss_of", "train_leak.py", 98, "return nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())", 0),
    ("TextModel.forward", "train_leak.py", 63, "x = block(x, self.mask)", 0),
    ("Block.forward", "train_leak.py", 45, "x = x + self.attention(normed, normed, normed, attn_mask=mask, need_weights=False)[0]", 0),
    ("Block.forward", "train_leak.py", 46, "return x + self.feed(self.norm2(x))", 0),
    ("aten::linear", "", 0, "", 1), ("aten::gelu", "", 0, "", 1), ("aten::layer_norm", "", 0, "", 1), ("aten::add", "", 0, "", 1),
    ("aten::scaled_dot_product_attention", "", 0, "", 1), ("main", "train_leak.py", 129, "optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)", 0),
    ("import: torch._dynamo", "", 0, "", 2), ("main", "train_leak.py", 133, "loss = step(model, optimizer, data, options.batch, options.length)", 0),
    ("step", "train_leak.py", 102, "loss = loss_of(model, data, batch, length)", 0), ("step", "train_leak.py", 104, "loss.backward()", 0),
    ("Python start", "", 0, "", 3), ("(smaller)", "", 0, "", 3), ("TextModel.forward", "train_leak.py", 61, "x = self.characters(x) + self.positions", 0),
]
M = MIB
# Name, own MiB at the peak, whether it grows with steps, children.
TREE = [
    (0, 0.1, "early", [(1, 191.0, "early", [])]),
    (2, 0.2, "late", [
        (3, 0.0, "leak", [(4, 0.1, "leak", [(5, 0.6, "leak", [
            (6, 0.2, "leak", [
                (7, 1.0, "leak", [(9, 15.5, "leak", []), (13, 15.0, "leak", []), (11, 4.0, "leak", []), (12, 3.7, "leak", []), (20, 0.3, "leak", [])]),
                (8, 0.7, "leak", [(9, 11.0, "leak", []), (10, 4.2, "leak", []), (12, 4.0, "leak", []), (11, 3.7, "leak", []), (20, 0.2, "leak", [])])]),
            (21, 1.8, "leak", [(12, 0.7, "leak", [])])])])]),
        (14, 0.0, "late", [(15, 66.3, "late", [])]),
        (16, 0.3, "step", [(17, 0.1, "step", [(5, 0.4, "step", [(6, 0.1, "step", [
            (7, 0.4, "step", [(9, 2.4, "step", []), (13, 1.2, "step", [])]), (8, 0.3, "step", [(9, 1.4, "step", []), (10, 0.9, "step", [])])])])]),
                          (18, 3.3, "step", [])])]),
    (19, 2.8, "early", []),
    (20, 4.1, "early", []),
]


class Trace:
    """Answers of the contract; parameters are dictionaries of texts and numbers."""

    def __init__(self, hostile=False, nodes=0, quiet=False, heaps=3):
        self.hostile, self.many, self.quiet, self.heaps = hostile, nodes, quiet, heaps
        self.names = [list(name) for name in NAMES]
        if hostile:
            for at, name in enumerate(self.names[:-2]):
                name[0] = HOSTILE[at % len(HOSTILE)] + name[0]
                name[3] = HOSTILE[(at + 1) % len(HOSTILE)] + name[3]
        self.tree = self.scaled(TREE, PEAK / self.whole(TREE) / MIB)

    def whole(self, tree):
        return sum(own + self.whole(children) for _, own, _, children in tree)

    def scaled(self, tree, factor):
        return [(name, own * factor, how, self.scaled(children, factor)) for name, own, how, children in tree]

    @staticmethod
    def share(how, at):
        """Part of the peak's bytes that lives at a time."""
        done = min(1, max(0, (at - FIRST_STEP) / (step_begin(59) + 40_000_000 - FIRST_STEP)))
        if how == "early":
            return min(1, at / 5_000_000_000) ** 0.8
        if how == "late":
            return min(1, max(0, at - 5_000_000_000) / 2_200_000_000)
        if how == "leak":
            if at > 11_000_000_000:
                return max(0, 1 - (at - 11_000_000_000) / 200_000_000 * 0.9)
            return done
        if at < FIRST_STEP or at > LAST_STEP:
            return 0.05
        phase = ((at - FIRST_STEP) % ((LAST_STEP - FIRST_STEP) // STEPS)) / ((LAST_STEP - FIRST_STEP) / STEPS)
        return 0.2 + 0.8 * max(0, math.sin(phase * math.pi))

    def live(self, tree, at):
        return sum(own * MIB * self.share(how, at) + self.live(children, at) for _, own, how, children in tree)

    def start(self):
        peak_at = step_begin(59) + 40_000_000
        marks = [(1_000_000, 0, "user", "import"), (FIRST_STEP, 0, "user", "training begins"), (9_000_000_000, 9_450_000_000, "range", "evaluation"),
                 (10_950_000_000, 0, "alert", "cuda:0: 91 % of the reserved memory is in use")]
        text = "train_leak.py:111 validate"
        if self.hostile:
            marks.insert(1, (3_000_000_000, 0, "user", HOSTILE[0]))
            marks.insert(2, (4_000_000_000, 0, "oom", HOSTILE[3]))
        if self.quiet:
            marks = []
        program = HOSTILE[0] + "train_leak.py" if self.hostile else "train_leak.py"
        verdict = f"{program}: nothing was allocated" if self.quiet else f"{program}: peak 343 MiB at 10.8 s, step 59; grows +1.13 MiB per step: {text}"
        facts = [{"label": "run", "text": "11.3 s, 0 allocations, nothing lost", "alarm": False}] if self.quiet else [
            {"label": "run", "text": "11.3 s, 60 steps, 2,039,108 allocations, nothing lost", "alarm": False},
            {"label": "peak", "text": "host 343 MiB at 10.8 s, step 59, 279 MiB at the end", "alarm": False},
            {"label": "held by", "text": "imports: torch 75.0 %, train_leak.py:46 Block.forward 12.8 %, train_leak.py:45 Block.forward 8.3 %", "alarm": False},
            {"label": "resident", "text": "490 MiB at most, 486 MiB in the last sample: live 343 MiB; code, files and shared memory 112 MiB; freed memory that allocators keep, and other 31 MiB", "alarm": False}]
        if not self.quiet:
            facts.append({"label": "grows", "text": f"+1.13 MiB per step, 66.9 MiB so far: {text}", "alarm": True, "view": "growth"})
        return {
            "memkit": "0.1.0", "trace": "trace.fb", "program": program, "command": "python train_leak.py --batch 16 --length 64",
            "end_ns": END, "state": "finished", "state_text": "", "verdict": verdict, "alarm": not self.quiet, "facts": facts,
            "notes": [] if self.quiet else [
                {"text": "Tensors at the peak of torch.cpu, 82 MiB: activation 83.8 %, parameter 9.1 %, optimizer state 7.1 %", "view": ""},
                {"text": "Layers that hold most at the peak: blocks.0 32.7 MiB, blocks.1 32.1 MiB, head 1.2 MiB", "view": "layers"},
                {"text": "Suggestion: 412 MiB of cuda:0 are free in 23 segments, and the largest hole has 96 MiB: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True joins them", "view": "map"}],
            "spaces": [{"id": 0, "name": "host", "peak_bytes": 0, "peak_ns": 0, "live_bytes": 0, "peak_step": None}] if self.quiet else [
                       {"id": 0, "name": "host", "peak_bytes": PEAK, "peak_ns": peak_at, "live_bytes": 292_000_000, "peak_step": 59},
                       {"id": 1, "name": "cuda:0", "peak_bytes": 1_610_612_736 // 8, "peak_ns": step_begin(41), "live_bytes": 90_000_000, "peak_step": 41}],
            "heaps": [{"id": at + 1, "name": (["host.malloc", "torch.cpu", "python.object"] + [f"jemalloc.arena.{at}"] * (at > 2))[min(at, 3)], "space": 0, "in_totals": True,
                       "peak_bytes": PEAK // (at + 1), "live_bytes": 292_000_000 // (at + 1), "allocations": 2_039_108 // (at + 1)} for at in range(self.heaps)],
            "steps": {"id": [], "begin_ns": []} if self.quiet else
                     {"id": list(range(1, STEPS + 1)), "begin_ns": [step_begin(number) for number in range(1, STEPS + 1)]},
            "marks": {"time_ns": [mark[0] for mark in marks], "end_ns": [mark[1] or mark[0] for mark in marks],
                      "kind": [mark[2] for mark in marks], "text": [mark[3] for mark in marks]},
            "processes": {"id": [1, 2, 3], "pid": [4211, 4260, 4261], "name": ["train_leak.py", "loader 0", "loader 1"],
                          "begin_ns": [0, 6_900_000_000, 6_950_000_000], "end_ns": [END, 10_950_000_000, 10_400_000_000],
                          "peak_bytes": [PEAK - 40 * MIB, 24 * MIB, 23 * MIB], "live_bytes": [292_000_000, 0, 3 * MIB],
                          "how": ["exit 0", "exit 0", "killed by signal 9"]},
            "curves": ["line", "heap", "library", "category", "layer", "scope", "thread", "process"],
            "groups": ["line", "stack", "library", "heap", "layer", "category"],
            "devices": [] if self.quiet else [{"id": 1, "name": "cuda:0", "has_map": True}],
            "views": ["overview", "timeline", "flame", "growth"] if self.quiet else
                     ["overview", "timeline", "flame", "map", "growth", "layers", "compare", "processes"],
            "has_events": True, "moments": None,
        }

    SERIES = {
        "line": [("imports: torch", "import", ["early", "late"], [0.745, 0.8]), ("train_leak.py:46 Block.forward", "own", ["leak"], [0.36]),
                 ("train_leak.py:45 Block.forward", "own", ["leak"], [0.55]), ("train_leak.py:104 step", "own", ["step"], [0.7]),
                 ("Python start", "other", ["early"], [0.0142]), ("others", "other", [], [])],
        "heap": [("host.malloc", "other", ["early", "late"], [0.9, 0.9]), ("torch.cpu", "other", ["leak", "step"], [1, 1]), ("python.object", "other", [], [])],
        "process": [("train_leak.py (4211)", "other", ["early", "late", "leak"], [1, 1, 1]), ("loader 0 (4260)", "other", ["step"], [0.6]), ("loader 1 (4261)", "other", [], [])],
    }

    def curves(self, parameters):
        first, last = parameters.get("from", 0), parameters.get("to", END)
        if last <= first:
            raise Refused("The range is empty: 'from' must be before 'to'.")
        columns, by, device = parameters.get("columns", 600), parameters.get("by", ""), parameters.get("space", 0)
        times = [first + (last - first) * at // columns for at in range(columns)]
        peak = step_begin(59) + 40_000_000
        if first <= peak < last and not device:
            times[bisect.bisect(times, peak) - 1] = peak
        parts = {how: [self.part(how, at) for at in times] for how in ("early", "late", "leak", "step")}
        if device:
            total = [int(201_326_592 * self.share("late", at) * (0.45 + 0.55 * self.share("step", at))) for at in times]
            series = [{"name": "torch.cuda:0", "kind": "other", "values": total}]
        else:
            total = [int(sum(values)) for values in zip(*parts.values())]
            series, rest = [], total[:]
            for name, kind, hows, shares in self.SERIES.get(by, [("all", "other", [], [])]):
                values = [min(left, int(sum(parts[how][at] * share for how, share in zip(hows, shares)))) for at, left in enumerate(rest)] if hows else rest
                rest = [left - value for left, value in zip(rest, values)]
                series.append({"name": (HOSTILE[len(series) % 6] if self.hostile else "") + name, "kind": kind, "values": values,
                               **({"process": len(series) + 1} if by == "process" else {})})
        if parameters.get("heap") or parameters.get("process"):
            total = [value // 2 for value in total]
            series = [{**one, "values": [value // 2 for value in one["values"]]} for one in series[:1]]
            series[0]["values"] = total
        if self.quiet:
            total, series = [0] * len(times), [{"name": "all", "kind": "other", "values": [0] * len(times)}]
        samples = times[::3]
        lines = [{"name": "resident", "time_ns": samples, "values": [int(150 * MIB * min(1, at / 5e9) + 1.0 * value) for at, value in zip(samples, total[::3])]}]
        if device:
            lines = [{"name": "device used", "time_ns": samples, "values": [int(420 * MIB * self.share("late", at)) for at in samples]},
                     {"name": "reserved", "time_ns": samples, "values": [int(256 * MIB * self.share("late", at)) for at in samples]}]
        return {"space": device, "by": by, "from_ns": first, "to_ns": last, "time_ns": times, "total": total, "series": series,
                "lines": [] if self.quiet else lines, "exact": True, "note": ""}

    def part(self, how, at):
        def walk(tree):
            return sum((own * MIB if kind == how else 0) + walk(children) for _, own, kind, children in tree)
        self._parts = getattr(self, "_parts", None) or {}
        if how not in self._parts:
            self._parts[how] = walk(self.tree)
        return self._parts[how] * self.share(how, at)

    def profile(self, parameters):
        what, by = parameters.get("what", "peak"), parameters.get("by", "line")
        at = parameters.get("at", step_begin(59) + 40_000_000)
        span = (parameters.get("from", 0), parameters.get("to", END))
        factor = {"count": 1 / 900, "temporary": 0.4, "freed": 2.2, "allocated": 3.1}.get(what, 1)
        share = (lambda how: self.share(how, at)) if what in ("peak", "live") else (
            lambda how: max(0.0, self.share(how, span[1]) - self.share(how, span[0])) if what == "retained" else (span[1] - span[0]) / END)
        nodes = {"name": [], "depth": [], "total": [], "self": []}
        names = self.names
        if by in ("layer", "category", "library", "heap"):
            texts = {"layer": ["blocks.0", "blocks.1", "head", "(no layer)"], "category": ["activation", "parameter", "optimizer state", "(no tensor)"],
                     "library": ["libtorch_cpu.so", "libpython3.11.so", "libc.so.6"], "heap": ["host.malloc", "torch.cpu", "python.object"]}[by]
            names = [[text, "", 0, "", 3] for text in texts] + self.names
            for at_name, text in enumerate(texts):
                part = self.scaled(self.tree, [0.5, 0.25, 0.15, 0.1][at_name])
                self.walk([(-len(texts) + at_name, 0, "early", part)], 0, lambda how: share(how) * factor, nodes)
            nodes["name"] = [name + len(texts) for name in nodes["name"]]
        else:
            self.walk(self.tree, 0, lambda how: share(how) * factor, nodes)
        if parameters.get("heap") or parameters.get("process"):
            nodes = {**nodes, **{key: [value // 2 for value in nodes[key]] for key in ("total", "self")}}
        if self.many:
            names, nodes = self.many_nodes()
        if self.quiet:
            nodes = {"name": [], "depth": [], "total": [], "self": []}
        total = sum(total for total, depth in zip(nodes["total"], nodes["depth"]) if not depth)
        when = f"at {at / 1e9:.3g} s, step {self.step(at)}" if self.step(at) else f"at {at / 1e9:.3g} s"
        title = f"live at the peak of host, {at / 1e9:.3g} s, step 59" if what == "peak" and "at" not in parameters else f"live {when}" if what in ("peak", "live") \
            else f"{what} from {span[0] / 1e9:.3g} s to {span[1] / 1e9:.3g} s"
        if parameters.get("invert") and not self.many:
            nodes = self.inverted(nodes)
        columns = zip(*names)
        return {"title": title, "total": total, "unit": "count" if what == "count" else "bytes", "exact": True, "note": "",
                "command": f"memflame --at={at / 1e9:.3g}s --format=speedscope trace.fb" if what in ("peak", "live") else
                           f"memflame --metric={what} --since={span[0] / 1e9:.3g}s --until={span[1] / 1e9:.3g}s trace.fb",
                "names": dict(zip(("text", "file", "line", "source", "kind"), map(list, columns))), "nodes": nodes}

    @staticmethod
    def step(at):
        return None if at < FIRST_STEP else min(STEPS, bisect.bisect([step_begin(number) for number in range(1, STEPS + 1)], at))

    def walk(self, tree, depth, share, nodes):
        """Adds nodes in preorder, larger siblings first; returns the sum."""
        def weigh(node):
            return node[1] * MIB * share(node[2]) + sum(weigh(child) for child in node[3])
        whole = 0
        for node in sorted(tree, key=weigh, reverse=True):
            name, own, how, children = node
            if weigh(node) < 1:
                continue
            at = len(nodes["name"])
            own = int(own * MIB * share(how))
            for key, value in (("name", name), ("depth", depth), ("total", 0), ("self", own)):
                nodes[key].append(value)
            nodes["total"][at] = own + self.walk(children, depth + 1, share, nodes)
            whole += nodes["total"][at]
        return whole

    @staticmethod
    def inverted(nodes):
        """Innermost calls on top."""
        root, path = {}, []
        for name, depth, own in zip(nodes["name"], nodes["depth"], nodes["self"]):
            path[depth:] = [name]
            here = root
            for step in reversed(path) if own else ():
                entry = here.setdefault(step, [0, {}])
                entry[0] += own
                here = entry[1]
        made = {"name": [], "depth": [], "total": [], "self": []}

        def add(level, depth):
            for name, (total, children) in sorted(level.items(), key=lambda item: -item[1][0]):
                below = sum(child[0] for child in children.values())
                for key, value in (("name", name), ("depth", depth), ("total", total), ("self", total - below)):
                    made[key].append(value)
                add(children, depth + 1)
        add(root, 0)
        return made

    def many_nodes(self):
        """A tree of many nodes, 40 deep, with sizes over six orders of magnitude."""
        if not hasattr(self, "_many"):
            chance = random.Random(7)
            names = [[f"Module{at % 37}.function{at}", f"file{at % 41}.py", at % 900 + 1, f"value = compute({at})", at % 4 if at % 4 < 3 else 0]
                     for at in range(4000)]
            nodes = {"name": [], "depth": [], "total": [], "self": []}
            stack = [(0, 4_000_000_000.0, self.many)]
            while stack and len(nodes["name"]) < self.many:
                depth, size, room = stack.pop()
                own = size * 0.02 if depth < 39 and room > 1 else size
                for key, value in (("name", chance.randrange(4000)), ("depth", depth), ("total", int(size)), ("self", int(own))):
                    nodes[key].append(value)
                if depth >= 39 or room <= 1:
                    continue
                count = min(room - 1, chance.choice((1, 2, 3, 5)))
                weights = sorted((chance.random() ** 3 + 1e-3 for _ in range(count)), reverse=True)
                whole = sum(weights)
                rooms = [max(1, int((room - 1) * weight / whole)) for weight in weights]
                stack.extend((depth + 1, size * 0.98 * weight / whole, share) for weight, share in reversed(list(zip(weights, rooms))))
            self._many = names, nodes
        return self._many

    def table(self, parameters):
        profile = self.profile({**parameters, "invert": 0})
        names, nodes, places, open_names = profile["names"], profile["nodes"], {}, []
        for name, depth, total, own in zip(*(nodes[key] for key in ("name", "depth", "total", "self"))):
            open_names[depth:] = [name]
            place = names["file"][name] and f"{names['file'][name]}:{names['line'][name]} {names['text'][name]}" or names["text"][name]
            # A place is the innermost own line: libraries count for their caller.
            holder = next((n for n in reversed(open_names) if names["kind"][n] != 1), name)
            held = names["file"][holder] and f"{names['file'][holder]}:{names['line'][holder]} {names['text'][holder]}" or names["text"][holder]
            places.setdefault(held, [0, 0, holder])[0] += own
            places.setdefault(place, [0, 0, name])
            if name not in open_names[:-1]:
                places[place][1] += total
        rows = sorted(((text, *values) for text, values in places.items() if values[0]), key=lambda row: -row[2 if parameters.get("sort") == "total" else 1])
        kept = rows[:parameters.get("rows", 200)]
        return {**{key: profile[key] for key in ("title", "total", "unit", "exact", "note", "command")},
                "rows": {"text": [row[0] for row in kept], "source": [names["source"][row[3]] for row in kept], "kind": [names["kind"][row[3]] for row in kept],
                         "file": [names["file"][row[3]] for row in kept], "line": [names["line"][row[3]] for row in kept],
                         "own": [row[1] for row in kept], "total": [max(row[1], row[2]) for row in kept], "blocks": [row[1] // 4096 + 1 for row in kept]},
                "left_out": {"rows": len(rows) - len(kept), "own": sum(row[1] for row in rows[len(kept):])}}

    def source(self, parameters):
        """Lines of a file, each with a tenth of the line before."""
        lines = [45, 46, 63, 98, 111]
        return {"file": "/home/u/" + str(parameters["file"]), "space": "host", "peak_bytes": 300 * MIB, "space_peak_bytes": 343 * MIB, "doubt": "",
                "rows": {"line": lines, "peak": [300 * MIB // 10 ** at for at in range(5)], "own": [0, MIB, 0, 0, 0],
                         "allocated": [400 * MIB] * 5, "kept": [0] * 5, "text": [f"    line_{line} = {{}}  # <b>" for line in lines]}}

    def growth(self):
        if self.quiet:
            return {"measured": "", "nothing": "Nothing grows (measured: 0 s to 11.3 s)", "x": "s", "findings": []}
        steps = list(range(1, STEPS + 1))
        hostile = HOSTILE[0] if self.hostile else ""
        return {"measured": "steps 13 to 59", "nothing": "", "x": "step", "findings": [
            {"text": hostile + "train_leak.py:111 validate", "source": "return loss_of(model, data, batch, length)", "rate_text": "+1.13 MiB per step", "rate": RATE,
             "verdict": "leak", "word": "LEAK", "amount": "+1.13 MiB per step, 66.9 MiB in 47 blocks so far",
             "low": RATE - 9000, "high": RATE + 9000, "rise": 70_149_734, "since": "step 13", "holds": "tensors of Block.attention and Block.feed; dicts",
             "hint": "autograd graphs: the loss keeps its graph; keep loss.item(), or compute below torch.no_grad()",
             "stack": ["train_leak.py:45 Block.forward", "train_leak.py:63 TextModel.forward", "train_leak.py:98 loss_of", "train_leak.py:111 validate", "train_leak.py:134 main", "train_leak.py:142 <module>"],
             "curve": {"x": steps, "bytes": [int(RATE * step + 90_000 * math.sin(step * 1.7)) for step in steps]}, "fit": {"x0": 13, "y0": RATE * 13, "x1": 59, "y1": RATE * 59},
             "suppression": "leak:^validate$"},
            {"text": "train_leak.py:78 MetricLogger.log", "source": "self.queue.put((number, value))", "rate_text": "+1.9 KiB per step", "rate": 1946, "low": 1900, "high": 1990, "rise": 91_462,
             "verdict": "grows", "word": "grows", "amount": "+1.9 KiB per step, 89.3 KiB in 1,128 blocks so far",
             "since": "step 1", "holds": "python.object 89.3 KiB", "hint": "", "stack": ["train_leak.py:78 MetricLogger.log", "train_leak.py:136 main", "train_leak.py:142 <module>"],
             "curve": {"x": steps, "bytes": [1946 * step for step in steps]}, "fit": {"x0": 13, "y0": 1946 * 13, "x1": 59, "y1": 1946 * 59}, "suppression": "leak:^MetricLogger.log$"}]}

    def map(self, parameters):
        at = parameters.get("at", step_begin(41))
        chance = random.Random(at // 100_000_000)
        texts = ["train_leak.py:46 Block.forward", "train_leak.py:45 Block.forward", "train_leak.py:61 TextModel.forward", "train_leak.py:104 step", "train_leak.py:129 main"]
        if self.hostile:
            texts = HOSTILE[:5]
        segments = {key: [] for key in ("address", "size", "heap", "process", "stream", "largest_hole", "expandable")}
        blocks = {key: [] for key in ("segment", "offset", "size", "requested", "label", "layer", "category", "library", "age_ns", "stack", "stream")}
        holes = {"segment": [], "offset": [], "size": []}
        address, live = 0x7F4C00000000, 0
        for number in range(34):
            size = chance.choice([2, 2, 2, 2, 20, 20, 20, 22, 44, 96]) * MIB
            small, offset, largest = size == 2 * MIB, 0, 0
            while offset < size:
                length = min(size - offset, (chance.randrange(1, 60) * 512 * (4 if small else 200)))
                if chance.random() < (0.25 if small else 0.38):
                    largest = max(largest, length)
                    for key, value in (("segment", number), ("offset", offset), ("size", length)):
                        holes[key].append(value)
                else:
                    what = chance.randrange(5)
                    for key, value in (("segment", number), ("offset", offset), ("size", length), ("requested", length - chance.randrange(0, 400)), ("label", texts[what]),
                                       ("layer", ["blocks.0", "blocks.1", "head", "", ""][what]), ("category", ["activation", "activation", "parameter", "gradient", "optimizer state"][what]),
                                       ("library", ["libtorch_cuda.so", "libcublas.so.12"][what % 2]), ("age_ns", chance.randrange(int(1e6), int(3e9))), ("stack", what), ("stream", 0)):
                        blocks[key].append(value)
                    live += length
                offset += length
            for key, value in (("address", str(address)), ("size", size), ("heap", "torch.cuda:0.segments"), ("process", 1), ("stream", number % 2), ("largest_hole", largest), ("expandable", 0)):
                segments[key].append(value)
            address += size + chance.choice([0, 0, 2 * MIB, 512 * MIB])
        held = sum(segments["size"])
        return {"device": "cuda:0", "at_ns": at, "title": f"cuda:0 at {at / 1e9:.3g} s" if "at" in parameters else f"at the peak of cuda:0, {at / 1e9:.3g} s", "total_bytes": 85_017_493_504,
                "held": held, "live": live, "free": held - live, "holes": len(holes["size"]), "largest_hole": max(holes["size"]), "note": "", "segments": segments, "blocks": blocks, "holes_at": holes,
                "stacks": [[text, "train_leak.py:98 loss_of", "train_leak.py:133 main", "train_leak.py:142 <module>"] for text in texts], "command": f"memdump --map --at={at / 1e9:.3g}s trace.fb"}

    def layers(self, _):
        names = ["characters", "blocks.0.norm1", "blocks.0.attention", "blocks.0.attention.out_proj", "blocks.0.norm2", "blocks.0.feed.0", "blocks.0.feed.1", "blocks.0.feed.2",
                 "blocks.1.norm1", "blocks.1.attention", "blocks.1.attention.out_proj", "blocks.1.norm2", "blocks.1.feed.0", "blocks.1.feed.1", "blocks.1.feed.2", "head"]
        if self.hostile:
            names[:3] = HOSTILE[:3]
        steps = list(range(1, STEPS + 1))
        weight = [0.4, 0.5, 2.2, 0.5, 0.5, 2.0, 1.9, 0.6] * 2
        return {"space": 0, "unit": "bytes", "layers": names, "steps": steps, "step_ns": [step_begin(step) + 40_000_000 for step in steps], "note": "", "command": "memstat --show=layers --format=json trace.fb",
                "values": [[int(weight[at] * MIB * (0.4 + 0.28 * step * weight[at] / 4)) for step in steps] for at in range(len(names))]}

    def compare(self):
        steps = list(range(1, STEPS + 1))
        changes = [("train_leak.py:46 Block.forward", 46_000_000, 2_100_000), ("train_leak.py:45 Block.forward", 30_000_000, 1_900_000), ("train_leak.py:61 TextModel.forward", 2_300_000, 200_000),
                   ("train_leak.py:104 step", 3_400_000, 4_600_000), ("imports: torch", 271_400_000, 271_900_000), ("train_leak.py:98 loss_of", 1_000_000, 90_000)]
        profile = self.profile({})
        leak = {at for at, name in enumerate(profile["names"]["text"])}
        a, b = profile["nodes"]["total"], []
        shrink = 0
        for at, depth in enumerate(profile["nodes"]["depth"]):
            if profile["names"]["line"][profile["nodes"]["name"][at]] == 134:
                shrink = depth + 1
            elif shrink and depth < shrink:
                shrink = 0
            b.append(a[at] // 25 if shrink else int(a[at] * 1.02) if at in leak else a[at])
        line = [int(0.94 * 290 * MIB + RATE * step) for step in steps]
        return {"a": "before.fb", "b": "after.fb", "verdict": "The peak fell from 343 MiB to 276 MiB: train_leak.py:111 validate holds 65.4 MiB less", "facts": [
                    {"label": "peak", "text": "343 MiB before, 276 MiB after, -67 MiB", "alarm": False}, {"label": "grows", "text": "+1.13 MiB per step before, nothing after", "alarm": False}],
                "rows": {"text": [row[0] for row in changes], "source": ["return x + self.feed(self.norm2(x))", "", "", "loss.backward()", "", ""], "a": [row[1] for row in changes], "b": [row[2] for row in changes]},
                "curves": [{"x": "step", "a": {"x": steps, "bytes": line}, "b": {"x": steps, "bytes": [int(0.94 * 290 * MIB) + 200_000 * (step % 3) for step in steps]}},
                           {"x": "ns", "a": {"x": [step_begin(step) for step in steps], "bytes": line}, "b": {"x": [step_begin(step) - 400_000_000 for step in steps], "bytes": [int(0.94 * 290 * MIB)] * STEPS}}],
                "names": profile["names"], "nodes": {"name": profile["nodes"]["name"], "depth": profile["nodes"]["depth"], "a": a, "b": b}}
