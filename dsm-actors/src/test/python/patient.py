"""Waits for a lock for longer than the program's sockets wait: python3 patient.py DIRECTORY, with weft_dsm.py on PYTHONPATH."""

import socket
import sys
import threading
import time

import weft_dsm

socket.setdefaulttimeout(0.05)
memory = weft_dsm.Memory(sys.argv[1])
held = threading.Event()
released = threading.Event()


def other():
    memory.acquire("one")
    held.set()
    time.sleep(0.5)
    released.set()
    memory.release("one")


thread = threading.Thread(target=other)
thread.start()
held.wait()
memory.acquire("one")
print("acquired after the other: %s" % released.is_set(), flush=True)
memory.release("one")
thread.join()
memory.close()
