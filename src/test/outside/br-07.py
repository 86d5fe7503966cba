# The time of a file moved once more when it was closed.
# caches: none metadata full
import os
import time

A = os.environ["A"]
bad = order = 0
for i in range(100):
    p, q = f"{A}/m{i}", f"{A}/n{i}"
    fd = os.open(p, os.O_CREAT | os.O_WRONLY)
    os.write(fd, b"x")
    before = os.fstat(fd)
    os.close(fd)
    at = os.stat(p)
    with open(q, "w") as g:
        g.write("y")
    time.sleep(0.01)
    after = os.stat(p)
    bad += (before.st_mtime_ns, before.st_ctime_ns) != (after.st_mtime_ns, after.st_ctime_ns) or at.st_mtime_ns != after.st_mtime_ns
    order += os.stat(q).st_mtime_ns < after.st_mtime_ns
assert (bad, order) == (0, 0), f"{bad} of 100 times moved, {order} of 100 files that were written later are older"
