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
while not stop:
    kept = globals()[sys.argv[1]]()
    time.sleep(0.02)
print("done")
