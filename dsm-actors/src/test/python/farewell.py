"""Is busy in its view until SIGIO tells it that its node ends: python3 farewell.py DIRECTORY, with weft_dsm.py on PYTHONPATH."""

import signal
import sys

import weft_dsm

told = []
signal.signal(signal.SIGIO, lambda *unused: told.append(1))
memory = weft_dsm.Memory(sys.argv[1])
words = memory.longs("words", 64, minipage_bytes=64)
print("ready", flush=True)
place = 0
while not told:
    words[place] += 1
    place = (place + 1) % 64
print("told", flush=True)
sys.stdin.readline()
words[0] += 1
memory.close()
print("lives on", flush=True)
