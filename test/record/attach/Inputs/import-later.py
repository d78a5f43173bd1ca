"""A program to attach to that imports a framework only later: import-later.py torch|jax|tensorflow."""

import signal
import sys
import time

stop = False


def end(*_):
    global stop
    stop = True


def torch():
    import torch
    return torch.ones(1 << 18)


def jax():
    import jax.numpy as jnp
    return jnp.zeros((512, 512)).block_until_ready()


def tensorflow():
    import tensorflow
    return tensorflow.zeros((512, 512)) + 1


signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
time.sleep(1)
kept = []
while not stop:
    made = globals()[sys.argv[1]]()
    if len(kept) < 3:
        kept.append(made)
        if len(kept) == 3:
            print("made", flush=True)
    time.sleep(0.02)
print("done")
