# A mapping did not show what another mount wrote.
import mmap
import os
import time

writer = os.open(f"{os.environ['A']}/map", os.O_CREAT | os.O_RDWR)
os.write(writer, b"old" + bytes(4093))
reader = os.open(f"{os.environ['B']}/map", os.O_RDONLY)
shown = mmap.mmap(reader, 4096, mmap.MAP_SHARED, mmap.PROT_READ)
assert shown[:3] == b"old", shown[:3]
os.pwrite(writer, b"new", 0)
assert os.pread(reader, 3, 0) == b"new"
end = time.monotonic() + 60
while shown[:3] != b"new":
    assert time.monotonic() < end, f"the mapping still shows {shown[:3]}"
    time.sleep(0.1)
