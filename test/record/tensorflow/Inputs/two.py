# TensorFlow and PyTorch in one process, each with a layer of its own.
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import torch  # before TensorFlow: both have a libomp, and the order must not matter to memkit
import tensorflow as tf
import keras

net = keras.Sequential([keras.Input((16,)), keras.layers.Dense(64, name="of_keras")], name="net")
model = torch.nn.Sequential()
model.add_module("of_torch", torch.nn.Linear(16, 32))
for step in range(2):
    a = net(tf.ones((128, 16)))
    b = model(torch.ones(128, 16))
print(a.shape, tuple(b.shape))
