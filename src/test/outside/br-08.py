# mtime stood still for the other mount while a file was open to be written.
# caches: none metadata full
import os

a = os.open(os.environ["A"] + "/log", os.O_CREAT | os.O_RDWR)
os.write(a, b"0" * 100)
seen = set()
for i in range(4):
    os.pwrite(a, str(i).encode(), 0)
    seen.add(os.stat(os.environ["B"] + "/log").st_mtime_ns)
assert len(seen) == 4, seen
