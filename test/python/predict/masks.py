# REQUIRES: python, torch
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: env PYTHONPATH=%obj_root/share/memkit/python %python %s
# RUN: env PYTHONPATH=%obj_root/share/memkit/python %python -m memkit predict --device=cpu -- %S/Inputs/chosen.py > most
# RUN: FileCheck %s --check-prefix=MOST < most
# RUN: env PYTHONPATH=%obj_root/share/memkit/python %python -m memkit predict --device=cpu --masks=25%% -- %S/Inputs/chosen.py > part
# RUN: FileCheck %s --check-prefix=PART < part
# RUN: env PYTHONPATH=%obj_root/share/memkit/python %python -m memkit predict --device=cpu --masks=chosen.py:9=25%%,50%% -- %S/Inputs/chosen.py > part
# RUN: FileCheck %s --check-prefix=PART < part
# RUN: not env PYTHONPATH=%obj_root/share/memkit/python %python -m memkit predict --masks=all -- %S/Inputs/chosen.py 2> error
# RUN: FileCheck %s --check-prefix=WRONG < error
#
# MOST: note      the mask of chosen.py:9 was taken to be true everywhere; --masks=15% says what part is
# PART: note      25 % of the mask of chosen.py:9 was taken as true
# WRONG: memkit predict: error: masks='all': no part from 0 to 1 ('15%', 0.15), and no line with a part ('model.py:40=15%')
#
# Sizes that depend on values: all places of a mask are taken as true, or the part that the caller tells. Where the
# values are known, the size is exact, and nothing is said.

import torch

import memkit

WORDS, WIDTH = 1024, 256
x = torch.randn(WORDS, WIDTH)
cube = torch.randn(8, 16, 32)
net = torch.nn.Linear(WIDTH, WIDTH)


def plan(step, device="cpu", **options):
    return memkit.predict(step, device=device, path="plan.fb", steps=1, **options)


def of(*sizes):
    """A mask without values."""
    return torch.rand(sizes) < 0.15


def told(choices, **options):
    """The notes of a plan in which each of some functions gives a tensor, or several, of known shapes."""
    def step():
        for choose, *shapes in choices:
            made = choose()
            found = [tuple(one.shape) for one in (made if isinstance(made, tuple) else (made,))]
            assert found == shapes, (found, shapes)
        return net(x)

    return plan(step, **options).notes


def chosen(rows):
    """Ways to choose so many of WORDS rows, with the shapes of the results."""
    return [(lambda: x[of(WORDS)], (rows, WIDTH)), (lambda: torch.nonzero(of(WORDS)), (rows, 1)),
            (lambda: torch.masked_select(x[:, 0], of(WORDS)), (rows,)), (lambda: torch.where(of(WORDS)), (rows,)),
            (lambda: x[of(WORDS), 5:], (rows, WIDTH - 5))]


# Of a known mask: exact, without a note.
known = torch.arange(WORDS) % 4 == 0
assert not told([(lambda: x[known], (WORDS // 4, WIDTH)), (lambda: torch.nonzero(known), (WORDS // 4, 1)),
                 (lambda: torch.masked_select(x[:, 0], known), (WORDS // 4,)), (lambda: torch.where(known), (WORDS // 4,)),
                 (lambda: x[torch.randperm(WORDS) < 5], (5, WIDTH)), (lambda: torch.unique(torch.arange(WORDS) // 4), (WORDS // 4,)),
                 (lambda: torch.bincount(torch.arange(WORDS) // 4), (WORDS // 4,))])

# Of a mask without values: all of it, and a note; or the part that is told.
notes = told(chosen(WORDS))
assert len(notes) == 3, notes  # a line each
for note in notes:
    assert note.startswith("the mask of masks.py:") and note.endswith("true everywhere; masks=15% says what part is"), note
for masks in ("25%", 0.25):
    notes = told(chosen(WORDS // 4), masks=masks)
    assert len(notes) == 3, notes
    for note in notes:
        assert note.startswith("25 % of the mask of masks.py:") and note.endswith("was taken as true"), note
told(chosen(0), masks=0)

# A mask over several dimensions, or in the middle; one that is broadcast; two lengths that must agree.
told([(lambda: cube[of(8, 16)], (64, 32)), (lambda: cube[:, of(16, 32)], (8, 256)), (lambda: cube[of(8), :, 20:], (4, 16, 12)),
      (lambda: cube.masked_select(of(8, 1, 1)), (2048,)), (lambda: torch.nonzero(of(8, 16)), (64, 2)),
      (lambda: (lambda mask: cube[mask] + cube.exp()[mask])(of(8, 16)), (64, 32))], masks=0.5)

# Parts by line. Experts that a program looks up by the places of a mask: all of them are there, with their numbers.
experts = torch.nn.ModuleList(torch.nn.Linear(WIDTH, WIDTH) for _ in range(8))


def mixed():
    with torch.no_grad():
        chosen = experts[0](x)[:, :8].topk(2).indices
    hits = torch.nn.functional.one_hot(chosen, 8).permute(2, 1, 0)
    result = torch.zeros_like(x)
    for expert in torch.greater(hits.sum((-1, -2)), 0).nonzero():
        _, words = torch.where(hits[expert].squeeze(0))
        result = result.index_add(0, words, experts[expert](x[words]))
        assert len(words) in (WORDS // 4, 2 * WORDS), len(words)
    assert expert.item() == 7, expert
    return result


whole = plan(mixed)
[by_expert, by_word] = sorted(note.split()[3] for note in whole.notes)
assert by_expert.startswith("masks.py:") and by_word.startswith("masks.py:"), whole
told_part = plan(mixed, masks={by_word: 1 / 8})
assert told_part.peak_bytes < whole.peak_bytes, (told_part, whole)
assert told_part.notes[-1] == "12.5 %% of the mask of %s was taken as true" % by_word, told_part
assert plan(mixed, masks=by_word + "=12.5%").peak_bytes == told_part.peak_bytes

# Sequences of different lengths, packed: as long as they are, where that is known, else as the longest.
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

over = torch.nn.LSTM(WIDTH, WIDTH, batch_first=True)


def run_over(lengths):
    def step():
        padded = torch.randn(4, 20, WIDTH)
        packed = pack_padded_sequence(padded, lengths(), batch_first=True, enforce_sorted=False)
        assert packed.data.shape == (sum(known) if lengths is of_known else 80, WIDTH), packed.data.shape
        result, found = pad_packed_sequence(over(packed)[0], batch_first=True, total_length=24)
        assert result.shape == (4, 24, WIDTH), result.shape
        assert lengths is not of_known or found.tolist() == known, found.tolist()
        result.sum().backward()

    return step


known = [7, 20, 11, 7]


def of_known():
    return torch.tensor(known)


shorter = plan(run_over(of_known))
assert not shorter.notes, shorter
longest = plan(run_over(lambda: 20 - (over.weight_ih_l0[:4] > 9).sum(1)))
[note] = longest.notes
assert note.startswith("the sequences of masks.py:") and note.endswith(" were taken to be all as long as the longest"), note

# Different values: as many as there can be.
[note] = told([(lambda: torch.unique(x[0].round()), (WIDTH,))])
assert note.startswith("the values that masks.py:") and note.endswith("sorts out were taken to be all different"), note
everywhere = WORDS * WIDTH
told([(lambda: torch.unique(x.round(), return_inverse=True, return_counts=True), (everywhere,), (WORDS, WIDTH), (everywhere,)),
      (lambda: torch.unique(x.round(), dim=0, return_counts=True), (WORDS, WIDTH), (WORDS,)),
      (lambda: torch.unique_consecutive(x.round()), (everywhere,))])

# Forward and backward through a mask: what a run takes.
def learn():
    net(x)[of(WORDS)].square().sum().backward()


def learn_all():
    net(x).square().sum().backward()


assert plan(learn, masks="12.5%").peak_bytes < plan(learn_all).peak_bytes * 1.5

# The verdict: a plan with all of the mask is the most.
def large(rows=4):
    return net(torch.empty(rows << 18, WIDTH)[torch.rand(rows << 18) < 0.1])


most = plan(large, "2GiB")
assert most.fits is None and most.is_most, most
assert most.answer().startswith("may not fit 2 GiB: ") and most.answer().endswith(", with sizes as large as they can be"), most
assert plan(large, "2GiB", masks="10%").fits
assert plan(large, "8GiB").fits
none = plan(large, "1GiB", masks="100%")
assert none.fits is False and none.answer().startswith("does not fit 1 GiB: "), none
found = memkit.predict(large, device="2GiB", vary={"rows": [4, 64]}, steps=1, masks="10%", path="vary.fb")
assert found.largest == 4, found
