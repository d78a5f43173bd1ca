# parameters.py fit|eager|predict: a model with parameters and buffers, of which the first call
# makes some; writes what each layer holds itself as JSON: layer, dtype, buffer, tensors, elements.
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import tensorflow as tf


class Block(keras.layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.inner = keras.layers.Dense(width, dtype="mixed_bfloat16")
        self.norm = keras.layers.BatchNormalization()

    def call(self, x, training=False):
        return self.norm(self.inner(x), training=training)


class Net(keras.Model):
    def __init__(self):
        super().__init__(name="net")
        self.blocks = [Block(12), Block(20)]
        self.head = keras.layers.Dense(4)

    def call(self, x, training=False):
        for block in self.blocks:
            x = block(x, training=training)
        return self.head(x)


how = sys.argv[1]
x, y = tf.random.normal((64, 7)), tf.zeros((64, 4))
net = Net()
if how == "predict":
    net.build((None, 7))
    net.predict(x, batch_size=16, verbose=0)
elif how == "fit":
    net.compile(optimizer="adam", loss="mse")
    net.fit(x, y, batch_size=16, epochs=2, verbose=0)
else:
    optimizer = keras.optimizers.Adam()
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(net(x, training=True) - y))
        optimizer.apply(tape.gradient(loss, net.trainable_variables), net.trainable_variables)

rows = {}
for layer in net._flatten_layers():
    own = [(v, False) for v in layer._trainable_variables] + [(v, True) for v in layer._non_trainable_variables]
    for variable, buffer in own:
        key = (layer.path, variable.dtype, buffer)
        tensors, elements = rows.get(key, (0, 0))
        rows[key] = (tensors + 1, elements + int(tf.size(variable.value)))
print(json.dumps(sorted([*key, *value] for key, value in rows.items())))
