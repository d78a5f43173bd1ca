"""Questions whose answers are known: each at most five calls, and what the answers must say."""

# (question, calls, texts in the answers)
QUESTIONS = [
    ("Which line leaks in the training, and how fast?", [("leaks", {"trace": "training.fb"})],
     ["LEAK  train.py:40 log  +512 KiB per step, 3.5 MiB in 7 blocks"]),
    ("Who calls it, and with which stack?", [("explain", {"trace": "training.fb"})],
     ["called by train.py:22 step", "train.py:40 log\ntrain.py:22 step\ntrain.py:5 main"]),
    ("How high is the peak on the host, and when?", [("overview", {"trace": "training.fb"})],
     ["host peak 14.5 MiB at 8.3 s, step 7"]),
    ("What holds the peak of the device?", [("overview", {"trace": "training.fb", "heap": "torch.*"})],
     ["train.py:50 build", "model.py:7 forward"]),
    ("How much of the host did step 5 allocate?",
     [("query", {"trace": "training.fb", "table": "steps", "where": "step=5"})], [",host,2,1,3675136,3150848,"]),
    ("Which lines of the device's tensors live at the end?",
     [("query", {"trace": "training.fb", "table": "lines", "heap": "torch.cuda:0", "where": "live_bytes>0"})],
     ["torch.cuda:0,train.py:50 build,", ",1048576,"]),
    ("What did the change cost, and where?", [("diff", {"before": "before.fb", "after": "after.fb"})],
     ["peak +24 KiB (+2.3 %)", "+16 KiB  16 KiB -> 32 KiB", "answer.cpp:12 answer"]),
    ("How many bytes does answer.cpp:12 allocate?", [("source", {"trace": "after.fb", "match": "answer.cpp:12"})],
     ["answer.cpp:12 answer,3,3,", ",98304,98304,"]),
    ("What is the stack of the peak?", [("flame_top", {"trace": "after.fb"})], ["1 MiB  95.9 %       1  host.malloc  loadTable < main"]),
    ("Which rows have more than 10 kB live at the end?",
     [("query", {"trace": "after.fb", "table": "lines", "where": "live_bytes>10000"})], ["request.cpp:29 readRequest"]),
    ("Why was memory refused?", [("overview", {"trace": "oom.fb"})],
     ["app.c:9 main asked for 128 MiB of host.malloc", "limited to 256 MiB"]),
    ("What would have let it through?", [("oom", {"trace": "oom.fb"})], ["a limit of 320 MiB or more", "app.c:7 main"]),
    ("Does the server leak?", [("leaks", {"trace": "requests.fb"})], ["LEAK  sessions.cpp:88 Sessions::insert  +66 KiB per step"]),
    ("Which memory grew, and stopped?", [("leaks", {"trace": "requests.fb"})], ["grew until step 9  cache.cpp:30 Cache::fill"]),
    ("Which block was forgotten?", [("leaks", {"trace": "requests.fb"})], ["Forgotten: 8 KiB in 1 block of 124 at request.cpp:27"]),
    ("Who else uses the device?", [("resident", {"trace": "gap.fb"})], ["14 GiB", "other processes"]),
    ("What held the peak in memray's recording?", [("overview", {"trace": "memray.bin"})], ["1 MiB  71.4 %", "prog.py:11 <module>"]),
    ("And in heaptrack's?", [("overview", {"trace": "heaptrack.gz"}), ("source", {"trace": "heaptrack.gz", "match": "shop.cpp:35"})],
     ["shop.cpp:35 shop::repeat", "79.6 KiB"]),
    ("What fills the program that I have just recorded?", [("overview", {"trace": "fill.fb"})],
     ["fill.py:3 fill", "28.6 MiB", "return bytearray(30_000_000)"]),
    ("Which rank ran out of memory, and which one grows?", [("job", {"folder": "job"})],
     ["rank 2 ran out of memory", "rank 3: growth on a device +18 MiB per step", "train.py:31 log_metrics"]),
]


def judge(answers):
    """The question and its missing texts, if texts are missing. answers: the text of each call, by question."""
    wrong = []
    for (question, calls, texts), given in zip(QUESTIONS, answers):
        assert len(calls) == len(given) <= 5
        missing = [text for text in texts if not any(text in answer for answer in given)]
        if missing:
            wrong.append((question, missing, given))
    return wrong
