# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""list-curve.py FILE: the texts and paths of a picture of curves, in order.

Fails if the picture is not valid XML, has a script or refers to something outside."""

import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
with open(sys.argv[1], "rb") as file:
    root = xml.etree.ElementTree.fromstring(file.read())
for element in root.iter():
    kind = element.tag.replace(SVG, "")
    assert kind != "script" and not any("href" in name for name in element.attrib), element.attrib
    name = element.get("class", "")
    if kind == "text":
        print("text", name, element.get("x") + "," + element.get("y"), repr(element.text))
    elif kind == "path":
        print("path", name, element.get("d"))
    elif kind == "line" and name in ("mark", "alarm"):
        print("line", name, element.get("x1"), element.get("y1") + "-" + element.get("y2"))
    elif kind == "circle":
        print("circle", name, element.get("cx") + "," + element.get("cy"))
assert "url(" not in root.find(SVG + "style").text and "@import" not in root.find(SVG + "style").text
