"""What memkit measures: a table that is read, and rounds that keep too much."""

import memkit

with memkit.scope("read") as read:
    rows = [b"%07d" % i * 16 for i in range(100000)]
    text = b"".join(rows)
    del rows


@memkit.scope("round")
def work(kept):
    copy = bytearray(text)
    kept.append(bytes(copy[:100000]))


kept = []
for _ in range(5):
    memkit.step()
    work(kept)
memkit.mark("done")

if read.stats:
    print("read: %d bytes allocated, %d live before, %d at most, %d after"
          % (read.allocated, read.before, read.peak, read.after))
