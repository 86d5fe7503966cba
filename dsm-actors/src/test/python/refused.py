"""A thread whose connection is refused while another one has the last that there is: python3 refused.py DIRECTORY, with weft_dsm.py on PYTHONPATH."""

import sys
import threading
import time

import weft_dsm

REFUSAL = "there are weft.dsm.mmu.connections = 2 already"

memory = weft_dsm.Memory(sys.argv[1])
connected = threading.Event()
leave = threading.Event()


def other():
    memory.acquire("other")
    memory.release("other")
    connected.set()
    leave.wait()


def acquire():
    """What refuses it; None if it has the lock."""
    try:
        memory.acquire("mine")
        return None
    except weft_dsm.DsmError as refused:
        return str(refused)


thread = threading.Thread(target=other)
thread.start()
connected.wait()
for _ in range(2):
    print("refused: %s" % acquire(), flush=True)
leave.set()
thread.join()
answer = acquire()
while answer == REFUSAL:  # Until the node has seen that the other one is gone.
    time.sleep(0.01)
    answer = acquire()
print("acquired: %s" % (answer or True), flush=True)
memory.close()
