# record.py NAME: three real steps of a model of models.py, to be recorded.
import sys

import models

step = models.make(sys.argv[1])
for _ in range(3):
    step()
