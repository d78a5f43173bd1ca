# A program that forks after the import, before TensorFlow has run anything.
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

child = os.fork()


@tf.function
def f(x):
    return tf.reduce_sum(tf.tile(x, [64, 1]))


f(tf.ones((64, 64)))
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print("done")
