"""Prints the attributes of a JSON object, one a line."""

import json
import sys

for name, value in json.load(sys.stdin).items():
    print('"%s": %s' % (name, json.dumps(value)))
