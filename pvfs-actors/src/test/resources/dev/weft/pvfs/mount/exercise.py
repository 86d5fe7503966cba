"""Does random things to a file by turns on two mounts, and compares all that is read with what was written. A seed replays its run."""
import ctypes
import mmap
import os
import random
import sys

seed, steps = int(sys.argv[1]), int(sys.argv[2])
PATHS = [os.path.join(path, f"exercise-{seed}") for path in sys.argv[3:5]]
MOST = 300_000
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]
chance = random.Random(seed)
model = bytearray()
done = []


def say(what):
    done.append(what)


def check(actual, expected, what):
    if actual != expected:
        at = next((i for i, (a, b) in enumerate(zip(actual, expected)) if a != b), min(len(actual), len(expected)))
        sys.exit(f"seed {seed}, step {len(done)}: {what}: {len(actual)} bytes instead of {len(expected)}, other ones from {at} on; before:\n"
                 + "\n".join(done[-15:]))


def span(most):
    start = chance.randrange(most)
    return start, chance.randrange(1, min(most - start, chance.choice((10, 4096, 70_000, most))) + 1)


def write(fd):
    start, length = span(MOST)
    data = chance.randbytes(length)
    assert os.pwrite(fd, data, start) == length
    if len(model) < start:
        model.extend(bytes(start - len(model)))
    model[start:start + length] = data
    say(f"write {length} at {start}")


def read(fd):
    start, length = span(MOST)
    check(os.pread(fd, length, start), bytes(model[start:start + length]), f"read {length} at {start}")
    say(f"read {length} at {start}")


def cut(fd):
    length = chance.randrange(MOST)
    os.ftruncate(fd, length)
    if len(model) > length:
        del model[length:]
    else:
        model.extend(bytes(length - len(model)))
    say(f"cut to {length}")


def punch(fd):
    start, length = span(MOST)
    if LIBC.fallocate(fd, 3, start, length) < 0:
        raise OSError(ctypes.get_errno(), "punch")
    end = min(start + length, len(model))
    if start < end:
        model[start:end] = bytes(end - start)
    say(f"punch {length} at {start}")


def allocate(fd):
    start, length = span(MOST)
    if LIBC.fallocate(fd, 0, start, length) < 0:
        raise OSError(ctypes.get_errno(), "allocate")
    model.extend(bytes(max(0, start + length - len(model))))
    say(f"allocate {length} at {start}")


def map_read(fd):
    if model:
        with mmap.mmap(fd, len(model), prot=mmap.PROT_READ) as memory:
            start, length = span(len(model))
            check(memory[start:start + length], bytes(model[start:start + length]), f"mapped read {length} at {start}")
            say(f"mapped read {length} at {start}")


def map_write(fd):
    if model:
        with mmap.mmap(fd, len(model)) as memory:
            start, length = span(len(model))
            data = chance.randbytes(length)
            memory[start:start + length] = data
            memory.flush()
            model[start:start + length] = data
            say(f"mapped write {length} at {start}")


def append(fd):
    data = chance.randbytes(chance.randrange(1, 5000))
    with open(path, "ab", buffering=0) as file:
        assert file.write(data) == len(data)
    model.extend(data)
    say(f"append {len(data)}")


ACTIONS = [write] * 5 + [read] * 4 + [cut, punch, allocate, map_read, map_read, map_write, map_write, append]
open(PATHS[0], "wb").close()
while len(done) < steps:
    path = chance.choice(PATHS)
    say(f"open {path}")
    fd = os.open(path, os.O_RDWR)
    check(os.pread(fd, MOST * 2, 0), bytes(model), "all of it")
    for _ in range(chance.randrange(1, 12)):
        chance.choice(ACTIONS)(fd)
        check(b"." * os.fstat(fd).st_size, b"." * len(model), "length")
        if len(model) > MOST:
            os.ftruncate(fd, MOST)
            del model[MOST:]
    os.close(fd)
os.unlink(PATHS[0])
print(f"seed {seed}: {len(done)} steps")
