"""Asks for what cannot be, and says what came of it, a line each: python3 refusals.py DIRECTORY, with weft_dsm.py on PYTHONPATH."""

import sys

import weft_dsm


def tell(what, *arguments, **named):
    try:
        print("no error: %r" % (what(*arguments, **named),), flush=True)
    except weft_dsm.DsmError as refused:
        print("%s: %s" % (type(refused).__name__, refused), flush=True)


memory = weft_dsm.Memory(sys.argv[1])
longs = memory.longs("longs", 20, minipage_bytes=128)
doubles = memory.doubles("doubles", 20, minipage_bytes=128)
for index in (20, -1, 2**70, 1.5, slice(0, 2)):
    tell(longs.__getitem__, index)
    tell(longs.__setitem__, index, 1)
for value in (2**63, -(2**63) - 1, 1.5, "x", None):
    tell(longs.__setitem__, 0, value)
for value in ("x", None, 10**400):
    tell(doubles.__setitem__, 0, value)
tell(longs.prefetch, 2**70, 1)
tell(longs.prefetch, 15, 6)
tell(longs.push, 0, 0)
tell(longs.prefetch, 20, 0)
tell(longs.prefetch, 21, 0)
tell(longs.push, 20, -1)
tell(memory.longs, "other", 2**70, minipage_bytes=128)
tell(memory.longs, "other", 20, minipage_bytes=2**63)
tell(memory.longs, "other", 0.5, minipage_bytes=128)
tell(memory.longs, 7, 20, minipage_bytes=128)
tell(memory.longs, "x" * 65, 20, minipage_bytes=128)
for name in ("a\nb", "a\0b"):
    tell(memory.longs, name, 20, minipage_bytes=128)
    tell(memory.acquire, name, 0)
    tell(memory.free, name)
for length in (0, -1, 2**61):
    tell(memory.longs, "other", length, minipage_bytes=128)
for minipage_bytes in (0, -8, 7, 12, 2**62):
    tell(memory.longs, "other", 20, minipage_bytes=minipage_bytes)
tell(memory.longs, "\ud800", 20, minipage_bytes=128)
tell(memory.barrier, "b", 2**63)
for parties in (0, -1, 2**40):
    tell(memory.barrier, "b", parties)
tell(memory.acquire, "lock", "soon")
tell(memory.acquire, "lock", float("nan"))
tell(memory.acquire, "lock", 10**400)
tell(memory.acquire, "", 1)
print("acquired: %d" % memory.acquire("lock", float("inf")), flush=True)
memory.release("lock")
print("acquired: %d" % memory.acquire("lock", float("-inf")), flush=True)
memory.release("lock")
longs[19] = 2**63 - 1
longs[0] = -(2**63)
print("elements: %d %d" % (sum(longs), len(list(longs))), flush=True)
memory.close()
memory.close()
for closed in (lambda: longs[0], lambda: longs.__setitem__(0, 1), lambda: longs.prefetch(0, 1), lambda: memory.longs("longs", 20, 128),
               lambda: memory.acquire("lock"), lambda: memory.release("lock"), lambda: memory.barrier("b", 1), lambda: memory.wait("c", "lock"),
               lambda: memory.signal("c", "lock"), lambda: memory.free("longs"), memory.why):
    tell(closed)
tell(weft_dsm.Memory, "/" + 200 * "x")
