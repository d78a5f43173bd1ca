# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""list-svg.py FILE: the texts of a picture, and a line for each frame of its flame graphs.

A frame is listed as `row R OWNER X+WIDTH TEXT | TITLE`: the row counts from the first of a graph.
Fails if the picture is not valid XML, has a script or refers to something outside."""

import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
OWNERS = {"u": "user", "l": "library", "i": "import", "o": "other", "g": "grown", "s": "shrunk"}

with open(sys.argv[1], "rb") as file:
    data = file.read()
root = xml.etree.ElementTree.fromstring(data)
for element in root.iter():
    assert element.tag != SVG + "script", "a script"
    assert not any(name.startswith("on") or "href" in name for name in element.attrib), element.attrib
assert "url(" not in root.find(SVG + "style").text and "@import" not in root.find(SVG + "style").text


def text_of(element):
    return "" if element is None else "".join(element.itertext())


first = None
for group in root:
    if group.tag == SVG + "text":
        print("text", repr(text_of(group)))
    for entry in group.findall(SVG + "text"):
        print("legend", repr(text_of(entry)))
        first = None
    if group.get("class") != "rows":
        continue
    top = float(group.get("transform").split(",")[1].rstrip(")"))
    if first is None or float(group[0].find(SVG + "rect").get("x")) == 16 and top - last > 20:
        first = top
    last = top
    for frame in group:
        rect = frame.find(SVG + "rect")
        owner = " ".join(OWNERS[word] for word in frame.get("class").split())
        print("row", round((top - first) / 18), owner, rect.get("x") + "+" + rect.get("width"),
              repr(text_of(frame.find(SVG + "text"))), "|", repr(text_of(frame.find(SVG + "title"))))
