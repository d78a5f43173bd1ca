# Dask merges the traces of a job, in processes of its own, to what this machine makes of them.
#
# REQUIRES: dask, libmemkit
# RUN: rm -rf %t && %python %src_root/utils/genjob/genjob --ranks=24 --stacks=40 --steps=30 --seed=5 -o %t
# RUN: echo hello > %t/notes.fb
# RUN: env PYTHONPATH=%obj_root/share/memkit/python:%packages_of_dask %python %s %t %t.fb
import os
import pathlib
import sys

import memkit
import memkit.job
from distributed import Client, LocalCluster


def rows(trace):
    """The ranks, and whether their host peaks are upper bounds: a trace knows its own, a merged one sums processes'."""
    ranks = memkit.open(trace).ranks.to_dicts()
    return [{**rank, "host_peak_is_upper_bound": None} for rank in ranks], [r["host_peak_is_upper_bound"] for r in ranks]


def die_once(folder):
    """Ends the process of the worker at the first call."""
    flag = pathlib.Path(folder) / "died"
    if not flag.exists():
        flag.write_text("")
        os._exit(1)


def merge_after_a_death(traces, folder):
    die_once(folder)
    return memkit.job.merge_bytes(traces)


def main(folder, out):
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            merged = memkit.job.merge_with_dask(folder, traces_per_task=5, split_every=2)
            # A worker that dies does not end the job: the engine runs its task again.
            names = sorted(str(path) for path in pathlib.Path(folder).glob("rank-000*.fb"))
            traces = [(name, pathlib.Path(name).read_bytes()) for name in names]
            again = client.submit(merge_after_a_death, traces, folder).result()
    merged.write(out)
    assert [line for line in merged.unread if "notes.fb: not a memkit trace" in line], merged.unread
    assert len(merged.unread) == 1, merged.unread
    assert (pathlib.Path(folder) / "died").exists() and again.trace and not again.unread

    # One machine: every trace by itself, and all merged by memmerge.
    one = []
    for path in sorted(pathlib.Path(folder).glob("rank-*.fb")):
        ranks, are_bounds = rows(path)
        assert not any(are_bounds), path
        one += ranks
    one.sort(key=lambda row: row["rank"])
    of_all, are_bounds = rows(out)
    assert of_all == one, (of_all[0], one[0])
    assert any(are_bounds), are_bounds
    report = memkit.job.report(out)
    assert [rank["rank"] for rank in report["ranks"]] == list(range(24))

    for wrong in (str(pathlib.Path(folder) / "none*.fb"), str(pathlib.Path(folder) / "notes.fb")):
        try:
            memkit.job.merge_with_dask(wrong)
            raise AssertionError(wrong)
        except memkit.TraceError as problem:
            print(problem)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    main(*sys.argv[1:])
