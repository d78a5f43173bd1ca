# Sparse gradients, whose sums and updates take more than the table.
import torch

model = torch.nn.EmbeddingBag(50000, 16, sparse=True)
optimizer = torch.optim.SparseAdam(model.parameters())
for step in range(3):
    optimizer.zero_grad()
    model(torch.randint(50000, (2048, 20))).mean().backward()
    optimizer.step()
