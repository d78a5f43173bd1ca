# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a reader of the traces must find."""

from faults import SIGKILL
from program import DEVICE, EXPERTS, LEAK, SCORES
from sums import fault_layer


def make_answers(job, trace_name):
    """`job`: genjob's Job."""
    shape, faults = job.shape, job.faults
    return {
        "seed": job.options.seed,
        "ranks": shape.ranks,
        "shape": {"tp": shape.tp, "pp": shape.pp, "dp": shape.dp, "ep": shape.ep},
        "nodes": shape.nodes,
        "last_step": faults.last_step,
        "stages": [stage_answer(job, n) for n in range(shape.pp)],
        "traces": [trace_name(rank) for rank in range(shape.ranks)],
        "faults": {kind: answer for kind, answer in fault_answers(job) if answer},
    }


def stage_answer(job, number):
    stage, ranks = job.stage(number), job.shape.ranks_of_stage(number)
    return {
        "stage": number,
        "first_rank": ranks[0],
        "last_rank": ranks[-1],
        "layers": stage.layers,
        "device_peak_bytes": stage.peak_bytes,  # without noise
    }


def fault_answers(job):
    faults = job.faults
    for kind, answer in (
        ("leak", leak_answer),
        ("imbalance", imbalance_answer),
        ("oom", oom_answer),
        ("cut", cut_answer),
        ("clock", clock_answer),
        ("experts", experts_answer),
    ):
        fault = getattr(faults, kind)
        yield kind, fault and answer(job, fault)


def line_answer(line):
    function, _, place = line.partition("@")
    file, _, number = place.partition(":")
    return {"function": function, "file": file, "line": int(number)}


def place_answer(job, rank):
    place = job.shape.place(rank)
    return {"rank": rank, "node": place.node, "device": f"cuda:{place.local}", "stage": place.stage}


def layer_of(job, rank, part):
    return f"{fault_layer(job.stage(job.shape.place(rank).stage))}.{part}"


def device_peak(job, rank):
    return job.rank(rank).table.heaps[DEVICE].peak_bytes


def leak_answer(job, leak):
    return {
        **place_answer(job, leak.rank),
        **line_answer(LEAK),
        "bytes_per_step": leak.bytes_per_step,
        "device_peak_bytes": device_peak(job, leak.rank),
    }


def imbalance_answer(job, imbalance):
    return {
        **place_answer(job, imbalance.rank),
        **line_answer(EXPERTS),
        "layer": layer_of(job, imbalance.rank, "mlp.experts"),
        "factor": imbalance.factor,
        "device_peak_bytes": device_peak(job, imbalance.rank),
    }


def experts_answer(job, experts):
    stage = job.stage(experts.stage)
    return {
        "stage": experts.stage,
        "expert": experts.expert,
        "ranks": experts.ranks,
        **line_answer(EXPERTS),
        "layer": f"{fault_layer(stage)}.mlp.experts",
        "factor": experts.factor,
    }


def oom_answer(job, oom):
    return {
        **place_answer(job, oom.rank),
        **line_answer(SCORES),
        "layer": layer_of(job, oom.rank, "attention"),
        "step": oom.step,
        "requested_bytes": oom.requested,
        "live_bytes": device_peak(job, oom.rank),
        "exit_status": 1,
    }


def cut_answer(job, cut):
    return {**place_answer(job, cut.rank), "step": cut.step, "signal": SIGKILL}


def clock_answer(job, clock):
    ranks = job.shape.ranks_of_node(clock.node)
    return {"node": clock.node, "ranks": list(ranks), "offset_ns": clock.offset_ns}
