# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joins the page's modules into one file: bundle.py OUTPUT [FOLDER].

Modules follow the modules that they import. Lines of import go, the word export goes, so all modules
share one scope: names at the top of modules must differ, and the script fails where two are the same.
Comments on lines of their own, indentation and empty lines go, too: the page is loaded more often than
read. So there are no template literals, which would keep them.
"""

import pathlib
import re
import sys

IMPORT = re.compile(r"^import\s+(?:\{[^}]*\}\s+from\s+)?'\./([\w.]+)';\n", re.M)
TOP_NAME = re.compile(r"^(export\s+)?(?:async\s+)?(function\*?|class|const|let|var)\s+([\w$]+)", re.M)
NEXT_NAME = re.compile(r",\s*([\w$]+)\s*=")
TOP_PATTERN = re.compile(r"^(?:export\s+)?(?:const|let|var)\s*[{\[]", re.M)
COMMENT = re.compile(r"^ *(?://[^\n]*|/\*\*?\s.*?\*/)\n", re.M | re.S)
BLANKS = re.compile(r"^[ \t]+|^\n", re.M)
STYLE_BLANKS = re.compile(r" *([{};,]|(?<=[a-z-]):(?= )) *")
TEMPLATE = re.compile(r"[=(,:+?\[]\s*`")
NAMES = re.compile(r"\{([^}]*)\}")
LIMIT = 300 * 1024


def order(folder, name, done, path=()):
    """The modules that a module needs, each after its own needs, then the module."""
    if name in path:
        sys.exit(f"bundle.py: error: imports form a circle: {' -> '.join((*path, name))}")
    if name in done:
        return
    text = (folder / name).read_text(encoding="utf-8")
    for needed in IMPORT.findall(text):
        order(folder, needed, done, (*path, name))
    done[name] = text


def top_names(text):
    """The names at the top of a module, as (name, whether it is exported)."""
    for found in TOP_NAME.finditer(text):
        exported, kind, name = found.groups()
        yield name, bool(exported)
        if kind in ("const", "let", "var"):
            yield from ((other, bool(exported)) for other in next_names(text, found.end()))


def next_names(text, at):
    """Further names of a declaration: const A = 1, B = 2."""
    depth, quote = 0, ""
    while at < len(text) and (depth or quote or text[at] != ";"):
        character = text[at]
        if quote:
            at += character == "\\"
            quote = "" if character == quote else quote
        elif character in "'\"`":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif not depth and (found := NEXT_NAME.match(text, at)):
            yield found.group(1)
        at += 1


def check_imports(modules):
    """Fails for an import of a name that the module does not export."""
    for name, text in modules.items():
        for match in IMPORT.finditer(text):
            exported = {word for word, is_exported in top_names(modules[match.group(1)]) if is_exported}
            wanted = NAMES.search(match.group(0))
            for word in (wanted.group(1).split(",") if wanted else []):
                word = word.strip()
                if word and word not in exported:
                    sys.exit(f"bundle.py: error: {name} imports '{word}', which {match.group(1)} does not export")


def join(folder):
    modules = {}
    order(folder, "main.js", modules)
    unused = {path.name for path in folder.glob("*.js")} - set(modules)
    if unused:
        sys.exit(f"bundle.py: error: no module imports {', '.join(sorted(unused))}")
    check_imports(modules)
    owner, parts = {}, []
    for name, text in modules.items():
        if TOP_PATTERN.search(text):
            sys.exit(f"bundle.py: error: {name}: a name at the top needs a declaration of its own")
        for word, _ in top_names(text):
            other = owner.setdefault(word, name)
            if other != name:
                sys.exit(f"bundle.py: error: '{word}' is a name of {other} and of {name}")
        text = re.sub(r"^export\s+", "", COMMENT.sub("", IMPORT.sub("", text)), flags=re.M).strip("\n") + "\n"
        if TEMPLATE.search(text):
            sys.exit(f"bundle.py: error: {name} has a template literal")
        parts.append(f"// {name}\n{text}")
    return BLANKS.sub("", "".join(parts))


def bundle(folder):
    """The whole page as text, with the markers replaced."""
    script = "\n// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n" + join(folder)
    style = "\n" + STYLE_BLANKS.sub(r"\1", BLANKS.sub("", COMMENT.sub("", (folder / "page.css").read_text(encoding="utf-8"))))
    if "</script" in script.lower() or "<!--" in script or "</style" in style.lower():
        sys.exit("bundle.py: error: the code has text that ends its element")
    page = (folder / "index.html").read_text(encoding="utf-8")
    for marker, text in (("/*STYLE*/", style), ("/*SCRIPT*/", script)):
        if page.count(marker) != 1:
            sys.exit(f"bundle.py: error: index.html must have {marker} once")
        page = page.replace(marker, text)
    if len(page.encode()) > LIMIT:
        sys.exit(f"bundle.py: error: the page has {len(page.encode())} bytes, more than {LIMIT}")
    return page


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: bundle.py OUTPUT [FOLDER]")
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else pathlib.Path(__file__).parent
    pathlib.Path(sys.argv[1]).write_text(bundle(folder), encoding="utf-8")


if __name__ == "__main__":
    main()
