"""Loads batches of made-up pictures with two worker processes; leaking, one worker remembers
what it has made."""
import random
import signal
import sys
import time

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

SEEN = []
torch.set_num_threads(1)


def remember(text):
    SEEN.append(text * 100)


class Pictures(IterableDataset):
    def __iter__(self):
        leaks = sys.argv[1] == "leak" and get_worker_info().id == 1
        number = 0
        while True:
            number += 1
            name = "picture %d" % number
            picture = torch.full((3, 32, 32), random.random())
            if leaks:
                remember(name)
            yield (picture - picture.mean()) / (picture.std() + 1), len(name)


# Ends its workers, which would wait for seconds otherwise.
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
total = 0.0
open(sys.argv[2], "w").close()
for pictures, names in DataLoader(Pictures(), batch_size=8, num_workers=2):
    total += float(pictures.sum()) + int(names[0])
    time.sleep(0.02)
