"""Children of a process with shared memory: python3 forked.py DIRECTORY, with weft_dsm.py on PYTHONPATH."""

import multiprocessing
import os
import sys

import weft_dsm

DIRECTORY = sys.argv[1]


def tell(what):
    try:
        print("no error: %r" % (what(),), flush=True)
    except weft_dsm.DsmError as refused:
        print(str(refused).replace(str(os.getppid()), "PARENT").replace(str(os.getpid()), "CHILD"), flush=True)


def fail():
    sys.stderr = open(os.devnull, "w")
    raise ValueError("a worker's")


def child(body):
    """The exit code of a child."""
    number = os.fork()
    if number == 0:
        body()
        sys.exit(0)  # Through the with statement.
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def misuse():
    for call in (lambda: words[0], lambda: words.__setitem__(0, 1), lambda: words.prefetch(0, 1), lambda: memory.longs("words", 64, 64),
                 lambda: memory.acquire("lock"), lambda: memory.release("mine"), lambda: memory.barrier("b", 1), lambda: memory.free("words"), memory.why):
        tell(call)
    memory.close()


def use_its_own():
    with weft_dsm.Memory(DIRECTORY) as own:
        own.longs("words", 64, minipage_bytes=64)[1] = 11
        print("mine in a child: %d" % own.acquire("mine", 0), flush=True)


def show(memory, words, when):
    words[0] += 1
    with memory.lock("lock"):
        print("%s: %d" % (when, words[0]), flush=True)


if len(sys.argv) > 2:  # Executed in the place of a program that has left nothing in order.
    with weft_dsm.Memory(DIRECTORY) as memory:
        words = memory.longs("words", 64, minipage_bytes=64)
        print("executed: %d, mine %d" % (words[1], memory.acquire("executed", 60)), flush=True)
    sys.exit(0)
with weft_dsm.Memory(DIRECTORY) as memory:
    words = memory.longs("words", 64, minipage_bytes=64)
    words[0] = 7
    memory.acquire("mine")
    child(misuse)
    show(memory, words, "after a child that left")
    child(use_its_own)
    show(memory, words, "after one with a memory of its own")
    worker = multiprocessing.get_context("fork").Process(target=fail)
    worker.start()
    worker.join()
    show(memory, words, "after a worker that failed with %d" % worker.exitcode)

    def replace():
        other = weft_dsm.Memory(DIRECTORY)
        other.longs("words", 64, minipage_bytes=64)[2] = 12
        other.acquire("executed")
        os.execv(sys.executable, [sys.executable, __file__, DIRECTORY, "again"])

    child(replace)
    show(memory, words, "after a child that executed another program")
    memory.release("mine")
    print("ready", flush=True)
    while True:
        words[0] += 1
