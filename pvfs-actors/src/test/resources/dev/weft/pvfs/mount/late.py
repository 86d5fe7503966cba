"""A file is written and closed on one mount, and at once cut, and given a time, by its name on another: the close comes to the manager later."""
import os
import random
import sys
import time

writer, other, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
draw = random.Random(7)
for i in range(rounds):
    path = "/late%d" % (i % 3)
    file = os.open(writer + path, os.O_CREAT | os.O_WRONLY)
    os.write(file, b"x" * draw.randrange(1, 9000))
    os.close(file)
    length, when = draw.randrange(1, 20000), 10**18 + i * 10**9
    os.truncate(other + path, length)
    os.utime(other + path, ns=(when, when))
    deadline = time.time() + 0.05
    while time.time() < deadline:
        for mount in writer, other:
            state = os.stat(mount + path)
            if mount == other and (state.st_size, state.st_mtime_ns) != (length, when) or state.st_size != length:
                sys.exit("round %d: %s has %d bytes, must be %d; time %d, must be %d"
                         % (i, mount, state.st_size, length, state.st_mtime_ns, when))
    if len(open(other + path, "rb").read()) != length or os.stat(writer + path).st_mtime_ns != when:
        sys.exit("round %d: not all of %d bytes can be read, or the time is another one" % (i, length))
print("OK")
