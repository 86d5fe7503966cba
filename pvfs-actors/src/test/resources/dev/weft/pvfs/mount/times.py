"""Times of files as two mounts show them, while programs write them and afterwards; prints what is wrong, or OK."""
import os
import sys
import time

A, B = sys.argv[1:3]
wrong = []


def check(what, is_so):
    if not is_so:
        wrong.append(what)


def both(status):
    return status.st_mtime_ns, status.st_ctime_ns


# A time in the future does not outlive a write.
late = A + "/late"
open(late, "w").close()
os.utime(late, (2e9 + 5e7,) * 2)
fd = os.open(late, os.O_WRONLY | os.O_APPEND)
os.write(fd, b"x")
shown = both(os.fstat(fd))
check("a time in the future outlives a write", abs(shown[0] / 1e9 - time.time()) < 100)
check("the other mount shows another time than fstat", both(os.stat(B + "/late")) == shown)
os.utime(late, (5, 5))
check("a time that was set is not shown", (os.fstat(fd).st_mtime, os.stat(B + "/late").st_mtime) == (5, 5))
os.write(fd, b"y")
os.utime(B + "/late", (6, 6))
check("a time that the other mount has set is not shown", (os.fstat(fd).st_mtime, os.stat(B + "/late").st_mtime) == (6, 6))
os.close(fd)
for _ in range(20):
    time.sleep(0.01)
    check("a close changes a time that was set", (os.stat(late).st_mtime, os.stat(B + "/late").st_mtime) == (6, 6))

# What fstat said after the last write stays, and is what the other mount shows.
for i in range(40):
    p, q = f"{A}/m{i}", f"{A}/n{i}"
    fd = os.open(p, os.O_CREAT | os.O_WRONLY)
    os.write(fd, b"x")
    before = both(os.fstat(fd))
    other = both(os.stat(f"{B}/m{i}"))
    os.close(fd)
    at = both(os.stat(p))
    with open(q, "w") as file:
        file.write("y")
    time.sleep(0.005)
    after = both(os.stat(p))
    check(f"{before} and {other} while it is open, {at} behind the close, {after} then", before == other == at == after == both(os.stat(f"{B}/m{i}")))
    check("what was written later is older", os.stat(q).st_mtime_ns >= after[0])

# Writes in place, of which the manager hears nothing.
log = os.open(A + "/log", os.O_CREAT | os.O_RDWR)
os.write(log, b"0" * 100)
seen = set()
for i in range(4):
    os.pwrite(log, str(i).encode(), 0)
    seen.add(os.stat(B + "/log").st_mtime_ns)
    check("a write in place has two times", os.stat(B + "/log").st_mtime_ns == os.fstat(log).st_mtime_ns)
    os.chmod(A + "/log", 0o600 + i)
    check("a change of the mode changes the time of a write", os.stat(B + "/log").st_mtime_ns == os.fstat(log).st_mtime_ns)
check(f"only {len(seen)} times of 4 writes are seen", len(seen) == 4)
os.close(log)
print("\n".join(wrong) or "OK")
