# No name is a formula for spreadsheets, in any table of any tool: what starts like one has an apostrophe
# in front. Numbers stay numbers. The tables are found in the tools' --help.
#
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %S %t
import csv
import io
import itertools
import os
import re
import subprocess
import sys

inputs, folder = sys.argv[1:]
# Traces of tests, which have names of all kinds.
SOURCES = ["layers.mas", "operators.mas", "scopes.mas", "categories.mas", "columns.mas",
           "shapes.mas", "layers-spaces.mas", "spaces.mas", "../memstat/programs.mas", "../memflame/csv.mas"]
# As the text form has them.
SIGNS = ["=", "+", "-", "@", "\\t", "\\x0d"]
NAME = re.compile(r'((?:\bname|role|path|file)=|^  string \d+ )"(?!jax\.)', re.M)


def starts_formula(cell):
    return cell.startswith(("=", "+", "-", "@", "\t", "\r"))


def run(*command, given=None):
    """The output; none of a command that fails, or writes no text."""
    made = subprocess.run(command, capture_output=True, input=given)
    try:
        return made.stdout.decode() if made.returncode == 0 else ""
    except UnicodeDecodeError:
        return ""


def assembled(source):
    """A test's trace in which each name starts like a formula."""
    given = open(os.path.join(inputs, source)).read()
    sign = itertools.cycle(SIGNS)
    given = NAME.sub(lambda m: m[1] + '"' + next(sign), given)
    path = os.path.join(folder, os.path.basename(source) + ".fb")
    summarize = [] if "\nsummary" in given else ["--summarize"]
    run("memas", *summarize, "-o", path, given=given.encode())
    assert os.path.exists(path), source
    return path


def values(tool, option):
    """The values of an option, from the tool's help."""
    listed = run(tool, "--help").split("  %s=" % option, 1)[1].split("\n  -", 1)[0].split("\n\n")[0]
    return re.findall(r"^    ([a-z_-]+) ", listed, re.M)


def tables():
    columns = values("memdump", "--columns")
    assert "scope_path" in columns, columns
    yield ["memdump", "--columns=" + ",".join(columns)]
    for by in values("memflame", "--group-by"):
        yield ["memflame", "--format=csv", "--group-by=" + by]
    for tool in ("memdump", "memflame", "memstat", "memleak", "memdiff", "memtop", "memsim"):
        yield [tool, "--format=csv"]
    yield ["memstat", "--timeline", "--format=csv"]
    # The flags without a value.
    for flag in re.findall(r"^  (--[a-z-]+)  ", run("memdump", "--help"), re.M):
        yield ["memdump", flag, "--format=csv"]


def harmless(command):
    """The signs of formulas that are cells with an apostrophe."""
    made = run(*command)
    # Where a semicolon separates cells, parts of a path are cells.
    for delimiter in ",;":
        for row in csv.reader(io.StringIO(made, newline=""), delimiter=delimiter):
            bad = [cell for cell in row if starts_formula(cell)]
            assert not bad, (command, bad)
    cells = itertools.chain(*csv.reader(io.StringIO(made, newline="")))
    return {cell[1] for cell in cells if cell.startswith("'") and starts_formula(cell[1:])}


guarded = {}
traces = [assembled(source) for source in SOURCES]
for table in tables():
    for trace in traces:
        guarded.setdefault(" ".join(table), set()).update(harmless(table + [trace]))
# So that the check is one: tables of names have such cells.
for table in ("--format=csv", "--layers --format=csv", "--operators --format=csv", "--scopes --format=csv",
              "--categories --format=csv", "--programs --format=csv",
              "--arrays --format=csv"):
    assert guarded["memdump " + table], (table, guarded)
for table in ("memflame --format=csv --group-by=stack", "memflame --format=csv --group-by=heap",
              "memstat --timeline --format=csv"):
    assert guarded[table], (table, guarded)
seen = set().union(*guarded.values())
assert {"=", "+", "-", "@"} <= seen, seen
