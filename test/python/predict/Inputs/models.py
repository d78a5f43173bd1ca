# Training steps of models of many kinds, small enough for a CPU: make(NAME) builds one and gives its step.
import functools
import math

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

MAKERS = {}
#: Of models whose sizes depend on masks: the part that is true.
MASKS = {"masked_lm": 1 / 8, "mixture": 1 / 8}


def model(function):
    MAKERS[function.__name__] = function
    return function


def make(name):
    torch.manual_seed(0)
    return MAKERS[name]()


def trained(network, loss_of, optimizer=torch.optim.AdamW, **options):
    """A step of training, with loss_of(network) as the loss."""
    optimizer = optimizer(network.parameters(), **{"lr": 1e-3, **options})

    def step():
        loss = loss_of(network)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


# ---------------------------------------------------------------------------------------------
# Plain networks
# ---------------------------------------------------------------------------------------------


def mlp_of(width):
    return nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width), nn.ReLU(), nn.Linear(width, 10))


def classified(network, shape):
    def loss(net):
        return F.cross_entropy(net(torch.randn(shape)), torch.randint(10, shape[:1]))

    return functools.partial(trained, network, loss)


@model
def mlp_sgd():
    return classified(mlp_of(512), (256, 512))(torch.optim.SGD)


@model
def mlp_momentum():
    return classified(mlp_of(512), (256, 512))(torch.optim.SGD, momentum=0.9)


@model
def mlp_adamw():
    return classified(mlp_of(512), (256, 512))()


class Residual(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.one = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(after)
        self.two = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(after)
        self.short = nn.Conv2d(before, after, 1, stride, bias=False) if stride != 1 or before != after else nn.Identity()

    def forward(self, x):
        y = F.relu(self.norm1(self.one(x)))
        return F.relu(self.norm2(self.two(y)) + self.short(x))


@model
def resnet():
    layers = [nn.Conv2d(3, 32, 3, 1, 1), *[Residual(b, a, s) for b, a, s in ((32, 32, 1), (32, 64, 2), (64, 128, 2))]]
    return classified(nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10)), (16, 3, 32, 32))(
        torch.optim.SGD, momentum=0.9)


@model
def cnn_pool():
    layers = []
    for before, after in ((3, 32), (32, 64), (64, 128)):
        layers += [nn.Conv2d(before, after, 3, 1, 1), nn.ReLU(inplace=True), nn.MaxPool2d(2)]
    return classified(nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.5), nn.Linear(2048, 10)), (32, 3, 32, 32))()


class UNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.first = self.twice(1, width)
        self.down1 = self.twice(width, 2 * width)
        self.down2 = self.twice(2 * width, 4 * width)
        self.up1 = nn.ConvTranspose2d(4 * width, 2 * width, 2, 2)
        self.mix1 = self.twice(4 * width, 2 * width)
        self.up2 = nn.ConvTranspose2d(2 * width, width, 2, 2)
        self.mix2 = self.twice(2 * width, width)
        self.last = nn.Conv2d(width, 1, 1)

    @staticmethod
    def twice(before, after):
        return nn.Sequential(nn.Conv2d(before, after, 3, 1, 1), nn.GroupNorm(4, after), nn.SiLU(),
                             nn.Conv2d(after, after, 3, 1, 1), nn.GroupNorm(4, after), nn.SiLU())

    def forward(self, x):
        one = self.first(x)
        two = self.down1(F.max_pool2d(one, 2))
        three = self.down2(F.max_pool2d(two, 2))
        two = self.mix1(torch.cat([self.up1(three), two], 1))
        return self.last(self.mix2(torch.cat([self.up2(two), one], 1)))


@model
def unet():
    return trained(UNet(), lambda net: F.mse_loss(net(torch.randn(8, 1, 64, 64)), torch.randn(8, 1, 64, 64)))


# ---------------------------------------------------------------------------------------------
# Transformers
# ---------------------------------------------------------------------------------------------


class Block(nn.Module):
    def __init__(self, width, heads, causal=True, dropout=0.0):
        super().__init__()
        self.heads, self.causal, self.dropout = heads, causal, dropout
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(dropout))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal, dropout_p=self.dropout)
        x = x + self.proj(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, width=256, depth=4, heads=4, words=2000, length=128, recompute=None, dropout=0.0):
        super().__init__()
        self.words, self.length, self.recompute = words, length, recompute
        self.token, self.place = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads, dropout=dropout) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, x):
        h = self.token(x) + self.place(torch.arange(x.shape[1]))
        for block in self.blocks:
            if self.recompute is None:
                h = block(h)
            else:
                h = checkpoint(block, h, use_reentrant=self.recompute == "reentrant")
        return self.head(self.norm(h))


def language_loss(net, batch=4):
    text = torch.randint(net.words, (batch, net.length + 1))
    return F.cross_entropy(net(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())


@model
def gpt():
    return trained(GPT(), language_loss)


@model
def gpt_sgd():
    return trained(GPT(), language_loss, torch.optim.SGD)


@model
def gpt_dropout():
    return trained(GPT(dropout=0.1), language_loss)


@model
def gpt_checkpoint():
    return trained(GPT(recompute="plain"), language_loss)


@model
def gpt_checkpoint_reentrant():
    return trained(GPT(recompute="reentrant"), language_loss)


@model
def gpt_autocast():
    def loss(net):
        with torch.autocast("cpu", torch.bfloat16):
            return language_loss(net)

    return trained(GPT(), loss)


@model
def gpt_accumulate():
    net = GPT()
    optimizer = torch.optim.AdamW(net.parameters())

    def step():
        for _ in range(3):
            (language_loss(net, batch=2) / 3).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return step


@model
def gpt_foreach():
    return trained(GPT(), language_loss, foreach=True)


class Lora(nn.Module):
    def __init__(self, base, rank=8):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features) / base.in_features)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + (x @ self.down.T) @ self.up.T


@model
def gpt_lora():
    net = GPT()
    net.requires_grad_(False)
    for block in net.blocks:
        block.qkv, block.proj = Lora(block.qkv), Lora(block.proj)
    optimizer = torch.optim.AdamW(p for p in net.parameters() if p.requires_grad)

    def step():
        language_loss(net).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


class Cached(GPT):
    """Generation, a token at a time, with keys and values of the tokens before."""

    def forward(self, x, cache):
        h = self.token(x) + self.place.weight[cache[0][0].shape[2]: cache[0][0].shape[2] + x.shape[1]]
        for number, block in enumerate(self.blocks):
            batch, length, width = h.shape
            q, k, v = block.qkv(block.norm1(h)).view(batch, length, 3, block.heads, -1).permute(2, 0, 3, 1, 4)
            k, v = torch.cat([cache[number][0], k], 2), torch.cat([cache[number][1], v], 2)
            cache[number] = (k, v)
            y = F.scaled_dot_product_attention(q, k, v)
            h = h + block.proj(y.transpose(1, 2).reshape(batch, length, width))
            h = h + block.mlp(block.norm2(h))
        return self.head(self.norm(h))


@model
def generate():
    net = Cached().eval()

    @torch.no_grad()
    def step():
        empty = torch.empty(8, 4, 0, 64)
        cache = [(empty, empty) for _ in net.blocks]
        token = torch.randint(net.words, (8, 1))
        for _ in range(32):
            token = net(token, cache)[:, -1:].argmax(-1)

    return step


class ViT(nn.Module):
    def __init__(self, width=192, depth=4):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 8, 8)
        self.first, self.place = nn.Parameter(torch.zeros(1, 1, width)), nn.Parameter(torch.zeros(1, 65, width))
        self.blocks = nn.Sequential(*[Block(width, 3, causal=False) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 10)

    def forward(self, x):
        h = self.patch(x).flatten(2).transpose(1, 2)
        h = torch.cat([self.first.expand(len(h), -1, -1), h], 1) + self.place
        return self.head(self.norm(self.blocks(h))[:, 0])


@model
def vit():
    return classified(ViT(), (16, 3, 64, 64))()


@model
def encoder_decoder():
    net = nn.Transformer(128, 4, 2, 2, 512, dropout=0.0, batch_first=True)
    return trained(net, lambda n: n(torch.randn(8, 64, 128), torch.randn(8, 48, 128)).square().mean())


# ---------------------------------------------------------------------------------------------
# Others
# ---------------------------------------------------------------------------------------------


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 128)
        self.lstm = nn.LSTM(128, 256, 2, batch_first=True)
        self.head = nn.Linear(256, 100)

    def forward(self, x):
        return self.head(self.lstm(self.embed(x))[0])


@model
def lstm():
    def loss(net):
        return F.cross_entropy(net(torch.randint(1000, (16, 40))).flatten(0, 1), torch.randint(100, (640,)))

    return trained(Tagger(), loss)


class Recommender(nn.Module):
    def __init__(self, tables=8, rows=5000, width=32):
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, width, mode="sum") for _ in range(tables))
        self.dense = nn.Sequential(nn.Linear(13, 128), nn.ReLU(), nn.Linear(128, width))
        self.top = nn.Sequential(nn.Linear(width + (tables + 1) * tables // 2, 256), nn.ReLU(), nn.Linear(256, 1))

    def forward(self, numbers, ids):
        dense = self.dense(numbers)
        parts = torch.stack([dense, *[table(i) for table, i in zip(self.tables, ids)]], 1)
        products = parts @ parts.transpose(1, 2)
        row, column = torch.tril_indices(parts.shape[1], parts.shape[1], -1)
        return self.top(torch.cat([dense, products[:, row, column]], 1))


@model
def dlrm():
    def loss(net):
        ids = [torch.randint(5000, (256, 4)) for _ in net.tables]
        return F.binary_cross_entropy_with_logits(net(torch.randn(256, 13), ids), torch.rand(256, 1))

    return trained(Recommender(), loss)


class Mamba(nn.Module):
    """A selective scan in plain PyTorch, a position at a time."""

    def __init__(self, width=64, inner=128, states=8):
        super().__init__()
        self.states = states
        self.into, self.out = nn.Linear(width, 2 * inner), nn.Linear(inner, width)
        self.conv = nn.Conv1d(inner, inner, 4, groups=inner, padding=3)
        self.select = nn.Linear(inner, 2 * states + inner)
        self.decay = nn.Parameter(torch.log(torch.arange(1, states + 1).float()).repeat(inner, 1))
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        length = x.shape[1]
        u, gate = self.into(self.norm(x)).chunk(2, -1)
        u = F.silu(self.conv(u.transpose(1, 2))[..., :length].transpose(1, 2))
        b, c, delta = self.select(u).split([self.states, self.states, u.shape[-1]], -1)
        delta = F.softplus(delta)
        h = torch.zeros(x.shape[0], u.shape[-1], self.states)
        rows = []
        for t in range(length):
            decay = torch.exp(-delta[:, t, :, None] * self.decay.exp())
            h = decay * h + (delta[:, t] * u[:, t])[..., None] * b[:, t, None]
            rows.append((h * c[:, t, None]).sum(-1))
        return x + self.out(torch.stack(rows, 1) * F.silu(gate))


@model
def mamba():
    return trained(nn.Sequential(Mamba(), Mamba()), lambda net: net(torch.randn(4, 24, 64)).square().mean())


class Diffusion(nn.Module):
    """Noise of a time, added to the features of a small network."""

    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 64))
        self.net = UNet(16)

    def forward(self, x, t):
        angle = t[:, None] * torch.exp(torch.arange(16) * (-math.log(10000) / 16))
        shift = self.time(torch.cat([angle.sin(), angle.cos()], -1)).mean(-1)
        return self.net(x + shift[:, None, None, None])


@model
def diffusion():
    def loss(net):
        x, noise = torch.randn(8, 1, 32, 32), torch.randn(8, 1, 32, 32)
        return F.mse_loss(net(x + noise, torch.rand(8)), noise)

    return trained(Diffusion(), loss)


@model
def two_networks():
    """A generator and a discriminator, which train in turns."""
    maker = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 784), nn.Tanh())
    judge = nn.Sequential(nn.Linear(784, 256), nn.LeakyReLU(0.2), nn.Dropout(0.3), nn.Linear(256, 1))
    of_maker, of_judge = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())

    def step():
        made = maker(torch.randn(128, 64))
        real = judge(torch.rand(128, 784))
        fake = judge(made.detach())
        of_judge.zero_grad()
        (F.softplus(-real).mean() + F.softplus(fake).mean()).backward()
        of_judge.step()
        of_maker.zero_grad()
        F.softplus(-judge(made)).mean().backward()
        of_maker.step()

    return step


# ---------------------------------------------------------------------------------------------
# Sizes that depend on values
# ---------------------------------------------------------------------------------------------


@model
def masked_lm():
    """The head sees an eighth of the words, another one in each step."""
    net = GPT()
    head, net.head = net.head, nn.Identity()

    def loss(net):
        text = torch.randint(net.words, (4, net.length))
        mask = (torch.rand(text.numel()).argsort() < text.numel() // 8).view(text.shape)
        return F.cross_entropy(head(net(text)[mask]), text[mask])

    return trained(net, loss)


class Speech(nn.Module):
    """Sequences of different lengths, packed, with a table of their steps by their labels."""

    def __init__(self, width=192, labels=29):
        super().__init__()
        self.first = nn.Conv1d(40, width, 3, stride=2, padding=1)
        self.over = nn.GRU(width, width, num_layers=2, bidirectional=True)
        self.labels = nn.Linear(2 * width, labels)

    def forward(self, sound, lengths):
        steps = self.first(sound).relu().permute(2, 0, 1)
        lengths = (lengths - 1) // 2 + 1
        packed = nn.utils.rnn.pack_padded_sequence(steps, lengths, enforce_sorted=False)
        steps, _ = nn.utils.rnn.pad_packed_sequence(self.over(packed)[0])
        return self.labels(steps).log_softmax(-1), lengths


@model
def speech():
    def loss(net):
        lengths = torch.tensor([120, 200, 80, 200, 160, 40, 90, 110])
        steps, lengths = net(torch.randn(8, 40, 200), lengths)
        return F.ctc_loss(steps, torch.randint(1, 29, (8, 12)), lengths, torch.tensor([12, 9, 12, 7, 8, 5, 9, 11]))

    return trained(Speech(), loss)


class Mixture(nn.Module):
    """Two of eight experts for each word; each expert gets the words that have chosen it."""

    def __init__(self, width=128, experts=8):
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)) for _ in range(experts))

    def forward(self, x):
        weights, chosen = self.router(x).softmax(-1).topk(2)
        result = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            word, place = torch.where(chosen == number)
            result = result.index_add(0, word, expert(x[word]) * weights[word, place, None])
        return result


@model
def mixture():
    net = nn.Sequential(Mixture(), Mixture(), nn.Linear(128, 10))
    return trained(net, lambda n: F.cross_entropy(n(torch.randn(4096, 128)), torch.randint(10, (4096,))))


# ---------------------------------------------------------------------------------------------
# One rank of many
# ---------------------------------------------------------------------------------------------


def grouped(backend, store, ranks):
    if dist.is_initialized():
        dist.destroy_process_group()
    dist.init_process_group(backend, store=store, rank=0, world_size=ranks)


@model
def gpt_ddp():
    grouped("gloo", dist.HashStore(), 1)
    net = nn.parallel.DistributedDataParallel(GPT())
    return trained(net, lambda n: F.cross_entropy(n(torch.ones(4, 128).long()).flatten(0, 1), torch.ones(512).long()))


@model
def gpt_fsdp():
    """The second kind of FSDP, one rank of eight; the other ranks are not there."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    from torch.testing._internal.distributed.fake_pg import FakeStore

    grouped("fake", FakeStore(), 8)
    mesh, net = init_device_mesh("cpu", (8,)), GPT()
    for block in net.blocks:
        fully_shard(block, mesh=mesh)
    return trained(fully_shard(net, mesh=mesh), language_loss)
