"""Threads that end, one after the other, and one that ends with a lock: python3 threads.py DIRECTORY COUNT, with weft_dsm.py on PYTHONPATH."""

import sys
import threading

import weft_dsm

failures = []
memory = weft_dsm.Memory(sys.argv[1])


def run(body):
    def guarded():
        try:
            body()
        except weft_dsm.DsmError as refused:
            failures.append(refused)

    thread = threading.Thread(target=guarded)
    thread.start()
    thread.join()


def once():
    memory.acquire("each")
    try:
        memory.release("other")
    except weft_dsm.DsmError as kept:  # With the frames that it came through; the connection goes all the same.
        errors.append(kept)
    memory.release("each")


errors = []
count = int(sys.argv[2])
for _ in range(count):
    run(once)
print("%d threads: %s" % (len(errors), failures), flush=True)
run(lambda: memory.acquire("left"))
print("holder lost: %s" % (memory.acquire("left", 60) == weft_dsm.HOLDER_LOST), flush=True)
memory.close()
