"""all_tables.py TRACE OUT: writes each table that memdump names in each format, and compares
the rows of CSV and JSON."""

import csv
import io
import json
import re
import subprocess
import sys

trace, out = sys.argv[1:]
FORMATS = "text markdown csv json parquet arrow".split()


def dump(table, kind):
    to = out if kind in ("parquet", "arrow") else "-"
    done = subprocess.run(["memdump", f"--table={table}", f"--format={kind}", trace, "-o", to],
                          capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


text = subprocess.run(["memdump", "--help"], capture_output=True, text=True, check=True).stdout
part = text[text.index("\n  --table=") + 1:].split("\n  -", 1)[0]
tables = re.findall(r"^    ([a-z]+) ", part, re.MULTILINE)
assert "blocks" in tables and "series" in tables and len(tables) > 20, (tables, part[:2000])
for table in tables:
    got = {}
    for kind in FORMATS:
        status, got[kind], said = dump(table, kind)
        streams = table in ("events", "stacks") and kind in ("text", "markdown")
        assert status == (2 if streams else 0), (table, kind, said)
    rows = json.loads(got["json"])[table]
    lines = list(csv.DictReader(io.StringIO(got["csv"])))
    assert len(rows) == len(lines), table
    for row, line in zip(rows, lines):
        assert list(row) == list(line), (table, row, line)
        for name, value in row.items():
            expected = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
            assert isinstance(value, float) or line[name] == expected, (table, name, value, line)
