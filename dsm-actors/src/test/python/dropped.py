"""A program that drops its memory without closing it: python3 dropped.py DIRECTORY, with weft_dsm.py on PYTHONPATH."""

import copy
import gc
import sys
import time

import weft_dsm

for i in range(3):
    memory = weft_dsm.Memory(sys.argv[1])
    words = memory.longs("words", 64, minipage_bytes=64)
    words[i] = i + 1
    memory.acquire("left behind")
    del memory, words
    gc.collect()
    time.sleep(0.5)  # In which a SIGIO would end this process.
with weft_dsm.Memory(sys.argv[1]) as memory:
    try:
        copy.copy(memory)
    except TypeError as refused:
        print(refused, flush=True)
    print("words: %s" % [memory.longs("words", 64, minipage_bytes=64)[i] for i in range(3)], flush=True)
    print("lock: %d" % memory.acquire("left behind", 60), flush=True)
