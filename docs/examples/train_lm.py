# A small language model and Adam: what docs/CommandGuide/memdump.md shows of categories.
import sys

import torch
from torch import nn

VOCABULARY, WIDTH, LENGTH, BATCH = 8000, 256, 128, 16


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Parameter(torch.zeros(LENGTH, WIDTH))
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, x):
        return self.head(self.encoder(self.tokens(x) + self.places))


torch.manual_seed(1)
torch.set_num_threads(1)
model = Model()
optimizer = torch.optim.Adam(model.parameters())
for step in range(int(sys.argv[1])):
    batch = torch.randint(0, VOCABULARY, (BATCH, LENGTH + 1))
    logits = model(batch[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
