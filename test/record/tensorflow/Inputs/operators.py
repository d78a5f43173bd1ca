# The operators with a formula that no layer of shapes.py has.
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

tf.matmul(tf.random.normal((2, 3, 5, 7)), tf.random.normal((2, 3, 7, 11)))
with tf.GradientTape() as tape:
    x, k = tf.random.normal((2, 6, 6, 6, 3)), tf.random.normal((3, 3, 3, 3, 4))
    tape.watch([x, k])
    total = tf.reduce_sum(tf.nn.conv3d(x, k, [1] * 5, "SAME"))
tape.gradient(total, [x, k])
tf.nn.depthwise_conv2d(tf.random.normal((2, 8, 8, 5)), tf.random.normal((3, 3, 5, 2)), [1] * 4, "SAME")
