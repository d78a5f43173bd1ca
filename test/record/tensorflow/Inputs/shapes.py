# shapes.py fit|eager: trains a model of matrices and convolutions, and writes as JSON what its
# calls compute: floating point operations in all, and of each layer in the forward pass.
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import tensorflow as tf

how = sys.argv[1]
BATCH, STEPS, SIDE = 8, 3, 12


class Net(keras.Model):
    def __init__(self):
        super().__init__(name="net")
        self.first = keras.layers.Conv2D(6, 3, padding="same", name="first")
        self.second = keras.layers.Conv2D(4, 5, padding="valid", name="second")
        self.flat = keras.layers.Flatten()
        self.wide = keras.layers.Dense(8, name="wide")
        self.square = keras.layers.Dense(8, name="square")

    def call(self, x):
        return self.square(self.wide(self.flat(self.second(self.first(x)))))


x, y = tf.random.normal((BATCH * STEPS, SIDE, SIDE, 3)), tf.zeros((BATCH * STEPS, 8))
net = Net()
if how == "fit":
    net.build((BATCH, SIDE, SIDE, 3))
    net.compile(optimizer="sgd", loss="mse", jit_compile=False)
    net.fit(x, y, batch_size=BATCH, epochs=1, shuffle=False, verbose=0)
else:
    for step in range(STEPS):
        part = slice(step * BATCH, (step + 1) * BATCH)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(net(x[part]) - y[part]))
        tape.gradient(loss, net.trainable_variables)

valid = SIDE - 4
forward = {
    "net/first": 2 * BATCH * SIDE * SIDE * 6 * 3 * 3 * 3,
    "net/second": 2 * BATCH * valid * valid * 4 * 5 * 5 * 6,
    "net/wide": 2 * BATCH * valid * valid * 4 * 8,
    "net/square": 2 * BATCH * 8 * 8,
}
# The gradients of the weights and of the input; a graph leaves out that of the first layer's input.
step = sum(3 * flops for flops in forward.values()) - (forward["net/first"] if how == "fit" else 0)
print(json.dumps({"all": STEPS * step, "forward": {layer: STEPS * flops for layer, flops in forward.items()}}))
