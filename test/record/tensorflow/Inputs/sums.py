# The sums of the heap tf.cpu are those of the tensors, counted by hand and by numpy, and agree with
# the figures of TensorFlow's own allocator.
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import memkit
import numpy as np
import tensorflow as tf

SHAPES = [((1000, 1024), np.float32), ((257, 256), np.float32), ((64, 64), np.int64), ((4096, 512), np.float16),
          ((3, 5, 7), np.float64), ((1,), np.uint8), ((300, 1024), np.int32)]


def make():
    """Tensors by an operator each."""
    return [tf.zeros(shape, dtype) + tf.ones((), dtype) for shape, dtype in SHAPES]


def current():
    try:
        return tf.config.experimental.get_memory_info("CPU:0")["current"]
    except ValueError:  # without oneDNN the allocator does not count
        return None


make()  # TensorFlow keeps small constants from here on
by_hand = sum(int(np.prod(shape)) * np.dtype(dtype).itemsize for shape, dtype in SHAPES)
begin = current()
with memkit.scope("count") as scope:
    kept = make()
heap = scope.heaps["tf.cpu"]
own = sum(t.numpy().nbytes for t in kept)
print("by hand", by_hand, "numpy", own, "memkit", heap.after - heap.before)
assert by_hand == own == heap.after - heap.before
if begin is not None:
    # The allocator counts the larger tensors, by their chunks: a chunk has less than twice the
    # size of its tensor.
    large = sum(t.numpy().nbytes for t in kept if t.numpy().nbytes >= 256 << 10)
    print("its own", current() - begin, "large", large)
    assert large <= current() - begin < 2 * large
with memkit.scope("free") as scope:
    del kept
heap = scope.heaps["tf.cpu"]
print("freed", heap.freed, "in", heap.frees)
assert heap.freed == by_hand and heap.frees == len(SHAPES)
print("equal")
