# A file dated in the future kept that date while it was written.
# caches: none metadata full
import os
import time

f = os.environ["A"] + "/late"
open(f, "w").close()
os.utime(f, (2e9 + 5e7,) * 2)
fd = os.open(f, os.O_WRONLY | os.O_APPEND)
os.write(fd, b"x")
shown = os.fstat(fd).st_mtime_ns
assert abs(shown / 1e9 - time.time()) < 100, ("before close", shown)
os.close(fd)
for _ in range(20):
    time.sleep(0.01)
    assert os.stat(f).st_mtime_ns == shown, ("after close", os.stat(f).st_mtime_ns, shown)
