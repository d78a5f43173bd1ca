# ask.py TRACE QUESTION...: prints memview's answers, one a line, when they are complete.
import json
import sys
import time

from served import Served

with Served(sys.argv[1]) as S:
    for question in sys.argv[2:]:
        while (answer := S.ask(question))["status"] == 202:
            time.sleep(0.05)
        print(json.dumps(answer))
