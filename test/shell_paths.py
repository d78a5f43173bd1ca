# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets the RUN lines of tests work in a folder whose name the shell would split.

RUN lines write %t.fb and %S/Inputs/a.c as if no folder had a blank in its name. lit replaces
these before the shell reads the line. Outside of quotes the folder's name has to be quoted,
in quotes it stands as it is; a command in a quoted text that another shell will read
(`sh -c '"%t.exe" 1'`) quotes the name itself."""

import shlex

import lit.TestRunner


def quote_states(line):
    """(character, the quote that it stands in or None) of each character of a line."""
    quote, escaped = None, False
    for character in line:
        yield character, quote
        if escaped:
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif quote == character:
            quote = None
        elif quote is None and character in "'\"":
            quote = character


def put_in(line, names):
    """The line with the marks, keys of names, replaced by the names they stand for."""
    return "".join(
        (names[c] if quote else shlex.quote(names[c])) if c in names else c
        for c, quote in quote_states(line))


def install(folders):
    """From now on lit quotes the names of these folders, where one needs it."""
    odd = [folder for folder in folders if shlex.quote(folder) != folder]
    if not odd:
        return
    # Characters that are no one's, each for a folder; the longest path first.
    marks = {chr(0xE000 + n): folder for n, folder in enumerate(sorted(odd, key=len, reverse=True))}
    substitute = lit.TestRunner.applySubstitutions

    def mark(text):
        for character, folder in marks.items():
            text = text.replace(folder, character)
        return text

    def quoting(script, substitutions, *args, **kwargs):
        substitutions = [(key, mark(value) if isinstance(value, str) else value) for key, value in substitutions]
        return [put_in(line, marks) for line in substitute(script, substitutions, *args, **kwargs)]

    lit.TestRunner.applySubstitutions = quoting
