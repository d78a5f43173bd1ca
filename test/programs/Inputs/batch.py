# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that load something, or work through it, and end by themselves. None leaks."""

import json
import os
import random
import sys

from program import HERE, Program


class Batch(Program):
    modes = ("clean",)
    ways = ("exit", "busy")

    def table(self, rows=250000):
        """A file of JSON: a list of objects, 170 bytes each."""
        name = os.path.join(self.inputs, f"table-{rows}.json")
        if not os.path.exists(name):
            draw = random.Random(1)
            with open(name, "w") as file:
                json.dump([{"id": of, "name": f"customer {draw.randrange(99999)}", "amount": draw.random() * 1000,
                            "paid": draw.random() < 0.5, "items": [draw.randrange(1000) for _ in range(5)],
                            "note": "word " * draw.randrange(12)} for of in range(rows)], file)
        return name

    def words(self):
        """A file of 60 MB, six words a line."""
        name = os.path.join(self.inputs, "words.txt")
        if not os.path.exists(name):
            draw = random.Random(1)
            with open(name, "w") as file:
                for _ in range(1000000):
                    file.write(" ".join("word%d" % int(draw.random() ** 3 * 1000000) for _ in range(6)) + "\n")
        return name


class Python(Batch):
    code = ""

    def command(self):
        return [sys.executable, "-c", self.code] + self.arguments()

    def arguments(self):
        return [self.table()]


class JsonLoad(Python):
    code = "import json, sys; table = json.load(open(sys.argv[1])); print(len(table))"


class ReadJson(Python):
    needs_modules = ("pandas",)
    code = "import pandas, sys; table = pandas.read_json(sys.argv[1]); print(table.amount.sum())"


class AstParse(Python):
    """Keeps the trees of the standard library's modules."""

    code = """
import ast, glob, os
trees = {}
for name in sorted(glob.glob(os.path.join(os.path.dirname(ast.__file__), "*.py")))[:120]:
    with open(name, encoding="utf-8") as file:
        trees[name] = ast.parse(file.read())
print(sum(1 for tree in trees.values() for _ in ast.walk(tree)))
"""

    def arguments(self):
        return []


class JsonTool(Batch):
    def command(self):
        return [sys.executable, "-m", "json.tool", self.table(60000), "/dev/null"]


class Pytest(Batch):
    needs_modules = ("pytest",)

    def command(self):
        return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", os.path.join(HERE, "test_lists.py")]


class PerlCount(Batch):
    needs_programs = ("perl",)

    def command(self):
        return ["perl", "-ne", "$h{$_}++ for split; END { print scalar(keys %h) }", self.words()]


class GitLog(Batch):
    needs_programs = ("git",)

    def command(self):
        return ["git", "-c", "safe.directory=*", "-C", HERE, "log", "--stat", "-n", "300"]


class NodeParse(Batch):
    needs_programs = ("node",)

    def command(self):
        return ["node", "-e", "const table = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));"
                "console.log(table.length)", self.table()]


class Compile(Batch):
    def command(self):
        return [self.cxx, "-std=c++20", "-O2", "-c", os.path.join(HERE, "heavy.cpp"),
                "-o", os.path.join(self.folder, "heavy.o")]


class Sort(Batch):
    needs_programs = ("sort",)

    def command(self):
        return ["sort", "-o", os.path.join(self.folder, "sorted"), self.words()]


BATCH = {"json-load": JsonLoad, "perl-count": PerlCount, "git-log": GitLog, "node-parse": NodeParse,
         "ast-parse": AstParse, "read-json": ReadJson, "compile": Compile, "json-tool": JsonTool, "sort": Sort,
         "pytest": Pytest}
