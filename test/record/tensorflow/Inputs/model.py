# A model whose largest tensor is known: the result of tf.tile in the layer `wide`.
#
# model.py eager|function|fit|mixed
#
# Prints a line of JSON: the bytes of the tensor, its operator, and the line of this file from
# which the tensor comes.
import inspect
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import tensorflow as tf

mode = sys.argv[1]
ROWS, WIDTH, COPIES, STEPS = 32, 64, 256, 3


def line():
    return inspect.currentframe().f_back.f_lineno


class Wide(keras.layers.Layer):
    def call(self, x):
        Wide.line = line() + 1
        big = tf.tile(x, [1, COPIES])
        # No gradient: the tensor is the largest of the run.
        return x + tf.stop_gradient(tf.reduce_mean(big))


class Net(keras.Model):
    def __init__(self):
        super().__init__(name="net")
        self.enc = keras.layers.Dense(WIDTH, activation="relu", name="enc")
        self.wide = Wide(name="wide")
        self.head = keras.layers.Dense(4, name="head", dtype="float32")

    def call(self, x):
        return self.head(self.wide(self.enc(x)))


if mode == "mixed":
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
net = Net()
loss = keras.losses.MeanSquaredError()
x, y = tf.random.normal((ROWS, 16)), tf.zeros((ROWS, 4))


def train_step():
    with tf.GradientTape() as tape:
        value = loss(y, net(x, training=True))
    variables = net.trainable_variables
    optimizer.apply(tape.gradient(value, variables), variables)
    return value


optimizer = keras.optimizers.Adam()
if mode == "eager":
    for step in range(STEPS):
        train_step()
    where = Wide.line
elif mode == "function":
    train_step = tf.function(train_step)
    for step in range(STEPS):
        where = line() + 1
        train_step()
else:
    net.compile(optimizer=optimizer, loss=loss)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(ROWS).repeat(STEPS)
    where = line() + 1
    net.fit(data, verbose=0)
tf.zeros((1,)) + 1  # an operator after the last step
size = 2 if mode == "mixed" else 4
print(json.dumps({"bytes": ROWS * WIDTH * COPIES * size, "line": where, "steps": STEPS}))
