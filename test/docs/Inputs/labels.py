# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Looks for words in the recorded examples of the docs that no tool prints any more.

    labels.py [--now=FOLDER] SOURCE_TREE [PAGE...]

utils/update_docs renews the examples after `<!-- run -->`. Those after `<!-- record -->` stay as
they were recorded, and so do words that a tool has changed since. This script takes the lines
that memkit's tools printed out of the recorded examples, and leaves out what differs from run to
run: numbers, times and sizes, places in a program with the function and the source line after
them, names of files, modules, layers and operators. What remains are the tool's own words.

- Words in a row must stand in one string literal of the sources, or in literals of which one
  begins where the one before ends.
- A label of memstat's first screen (`held by`) and the heading of a column must be a literal.
- With --now, FOLDER has README.md and docs/ with the examples recorded anew. A row may then only
  have words that such a row of the same tool has today: words that a tool can still print, but no
  longer prints for these programs, are found, too.

Prints a line for each finding; the exit status is 1 if there are any."""

import argparse
import re
import sys
from pathlib import Path

SOURCES = ("lib/**/*.cpp", "lib/**/*.h", "include/**/*.h", "tools/**/*.cpp", "utils/gen*/*.cpp", "utils/ci/*.sh")
EXAMPLE = r"^<!-- {}(?:: .*?)? -->\n```console\n(.*?)^```$"
STRING = r'"(?:[^"\\\n]|\\.)*"'
# A place, the function, and the source line two blanks behind it. Modules, and a function of a library.
PLACE = re.compile(r"\S+\.(?:py|cpp|c|h|so)(?:\.\d+)*:\d+(?: [^\s,;]+)?(?:  +\S.*)?"
                   r"|(?<=\bimport )\S+|(?<=\bimports: ).*|(?<=\bholds: )\w+")
# What is no word of a tool: names, options with values, units.
NAME = re.compile(r"[\d._/=<>+@$%*~|\[\]#\\]|[a-z][A-Z]|^\(\w+\)|^-+$|\w\(|\w:\w|^([num]?s|min|[KMGT]?i?B)$")
GAP = ""  # where text of the run stands between words
GAP_SIGN = "\0"


def words_of(text, names=()):
    """The words of a text, a GAP for each name and number. Signs are no words."""
    for token in re.sub(r"[^\x00-\x7f]", " 0 ", text).split():
        plain = token.strip(",;:.`'\"!?")
        if plain.strip("()"):
            yield GAP if NAME.search(plain) or plain in names else plain.strip("()")


def phrases_of(text, names):
    """The words between gaps and signs, where there are two or more in a row."""
    for part in re.split(r"[,;:](?: |$)| \(|  +", PLACE.sub(" 0 ", text)):
        for phrase in "\n".join(words_of(part, names)).split("\n\n"):
            words = [word for word in phrase.split("\n") if word]
            if len(words) > 1:
                yield words


class Literals:
    """The string literals of the sources: all that a tool can say."""

    def __init__(self, root):
        self.whole, self.text = set(), ""
        for file in sorted({file for pattern in SOURCES for file in root.glob(pattern)}):
            # Adjacent literals are one.
            for literal in re.findall(rf"{STRING}(?:\s+{STRING})*", file.read_text(encoding="utf-8")):
                said = "".join(part[1:-1] for part in re.findall(STRING, literal)).replace("\\n", " ")
                self.add(said)
                # The text of a finding, with the parts that it is about (CaptureReports.cpp).
                for parts in ("frames", "objects", "frames and objects", "tensors", "tensors, operators and layers"):
                    if "%p" in said:
                        self.add(said.replace("%p", parts))
                # The heading of a column is its title in a list of columns, or the words of its name.
                for title in re.findall(r" titled ([^,]+)", said):
                    self.add(title)
                if re.fullmatch(r"[a-z]+(_[a-z]+)+", said):
                    self.add(re.sub(r"_(bytes|ns|ppm)$", "", said).replace("_", " "))

    def add(self, said):
        self.whole.add(said.strip(" :,;!").removesuffix("s"))
        # + where the literal has a blank or a sign at its begin or end: another can be there.
        begin, end = ("-" if edge.isalnum() else "+" for edge in (said[:1], said[-1:]))
        self.text += f"{begin}\n {' '.join(word or GAP_SIGN for word in words_of(said))} \n{end}"

    def have_label(self, text):
        return text.removesuffix("s") in self.whole

    def have_phrase(self, words):
        """Whether literals, of two words and more as a rule, give these words in a row."""
        return self.count(words) <= max(3, len(words) // 2)

    def count(self, words, begin=""):
        """Of how many literals the words are. The last word of a literal may have got an s."""
        least = 1000  # none
        for count in range(len(words), 0, -1):
            part = f"{begin} {' '.join(words[:count])} "
            ends = [part + "\n", part.removesuffix("s ") + " \n"]
            if count == len(words):
                least = 1 if any(said in self.text for said in (part, *ends)) else least
            elif any(said in self.text for said in ends):
                rest = "\n" if ends[0] + "+" in self.text else "+\n"
                least = min(least, 1 + self.count(words[count:], rest))
        return least


def lines_of(body, sources):
    """Of an example: each line that a tool of memkit printed, with the tool, and whether it may be
    the head of a table: the first line of a paragraph, with a number in the line below it."""
    tool, lines = "", body.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("$ "):
            match = re.match(r"\$ (?:\w+=\S+ )*(mem\w+)", line)
            # What a recorded program prints is not the tool's, nor are the names in a flame graph.
            tool = match[1] if match and match[1] not in ("memrec", "memflame") else ""
        elif (tool or re.match(r"(mem[a-z]+|ci-memory): ", line)) and line.strip() not in sources:
            begins = lines[number - 1] == "" or lines[number - 1].startswith("$ ")
            yield tool or line.split(":")[0], line, begins and re.search(r"\d", "".join(lines[number + 1:number + 2]))


def rows_of(page, kind, sources):
    """(tool, label or "", headings, phrases, line) of each line of a tool on a page."""
    text = page.read_text(encoding="utf-8")
    commands = "\n".join(re.findall(r"^(?:\$|<!-- r\w+:).*", text, re.M))
    # Recorded programs and traces.
    names = set(re.findall(r"(?:^|[ /])(?:\./|-o |[\w./]+/)([\w-]+)", commands))
    for match in re.finditer(EXAMPLE.format(kind), text, re.M | re.S):
        for tool, line, is_head in lines_of(match[1], sources):
            label = re.match(r"  (?:! )?([a-z][^\d:]*?)  +\S", line, re.I) if tool == "memstat" else None
            columns = re.split(r"  +", line.strip())
            headings = columns if is_head and len(columns) > 2 and not re.search(r"\d", line) else []
            yield tool, label[1] if label else "", headings, list(phrases_of(line, names)), line.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--now", type=Path, metavar="FOLDER")
    parser.add_argument("root", type=Path, metavar="SOURCE_TREE")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", help="all of docs/ and the README by default")
    options = parser.parse_args()
    sources = {line.strip() for file in (options.root / "docs" / "examples").glob("*.*")
               for line in file.read_text(encoding="utf-8").splitlines()}
    literals = Literals(options.root)
    today = ""
    if options.now:
        for page in [options.now / "README.md", *(options.now / "docs").rglob("*.md")]:
            for tool, label, _, phrases, _ in rows_of(page, "(?:run|record)", sources):
                today += "".join(f"{tool}/{label} {' '.join(phrase)} \n" for phrase in phrases)
    found = []
    for page in options.pages or [options.root / "README.md", *sorted((options.root / "docs").rglob("*.md"))]:
        for tool, label, headings, phrases, line in rows_of(page, "record", sources):
            stale = [f"'{text}'" for text in [label, *headings]
                     if text and not literals.have_label(text.split(": ")[0])]
            stale += [f"'{' '.join(phrase)}'" for phrase in phrases if not literals.have_phrase(phrase)]
            if today:
                stale += [f"'{' '.join(phrase)}' today" for phrase in phrases if not re.search(
                    rf"^{tool}/{re.escape(label)} (?:.* )?{re.escape(' '.join(phrase))} ", today, re.M)]
            found += [f"{page}: {tool} prints no {text}: {line}" for text in stale]
    print("".join(finding + "\n" for finding in dict.fromkeys(found)), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
