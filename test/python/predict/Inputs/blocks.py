# A script with repeated layers, whose model is made and wrapped in a function.
import torch
from torch import nn


def train():
    layer = nn.TransformerEncoderLayer(128, 4, 512, batch_first=True)
    model = nn.Sequential(nn.Embedding(1000, 128), nn.TransformerEncoder(layer, 4, enable_nested_tensor=False), nn.Linear(128, 1000))
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(10):
        words = torch.randint(1000, (8, 128))
        nn.functional.cross_entropy(model(words).flatten(0, 1), words.flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()


train()
