"""Signal handlers that raise while calls wait: python3 interrupted.py DIRECTORY, with weft_dsm.py on PYTHONPATH."""

import faulthandler
import queue
import signal
import sys
import threading

import weft_dsm


class Late(Exception):
    pass


class Holder(threading.Thread):
    """Does what it is told to, one after the other, by a connection of its own. An exception may end ask at any moment: what a semaphore
    in Python does in several steps would stay half done."""

    def __init__(self):
        super().__init__(daemon=True)
        self.calls = queue.SimpleQueue()
        self.start()

    def run(self):
        while True:
            call, answers = self.calls.get()
            try:
                answers.put(call())
            except weft_dsm.DsmError as refused:
                answers.put(refused)

    def ask(self, call):
        answers = queue.SimpleQueue()
        self.calls.put((call, answers))
        return answers.get()


def interrupt(call, what, after_s=0.05):
    """Ends a call by an exception; the exception that came."""

    def ring(*_):
        if isinstance(what, BaseException):
            raise what
        what()

    signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, after_s)
        call()
        signal.setitimer(signal.ITIMER_REAL, 0)
        return None
    except BaseException as ended:
        return ended


def say(line):
    """Also: if the next line takes so long that the test is about to give up, where each thread is."""
    print(line, flush=True)
    faulthandler.dump_traceback_later(50)


memory = weft_dsm.Memory(sys.argv[1])
holder, third = Holder(), Holder()
memory.acquire("mine")
for raised in (Late(), TimeoutError("late"), ConnectionResetError("late"), KeyboardInterrupt(), SystemExit()):
    holder.ask(lambda: [memory.acquire("a"), memory.acquire("b")])
    seen = interrupt(lambda: memory.acquire("a"), raised)
    others = memory.acquire("b", 0), third.ask(lambda: memory.acquire("mine", 0))
    holder.ask(lambda: [memory.release("a"), memory.release("b")])
    free = third.ask(lambda: memory.acquire("a", 60))
    third.ask(lambda: memory.release("a"))
    say("%s: %s %s %s" % (type(raised).__name__, seen is raised, others, free))

seen = interrupt(lambda: memory.wait("changed", "mine"), Late())
say("wait: %s %s" % (type(seen).__name__, third.ask(lambda: memory.acquire("mine", 0))))
seen = interrupt(lambda: memory.barrier("never", 2), Late())
memory.release("mine")
say("barrier: %s %s" % (type(seen).__name__, third.ask(lambda: memory.acquire("mine", 60))))
third.ask(lambda: memory.release("mine"))
holder.ask(lambda: memory.acquire("a"))
say("handler: %s" % interrupt(lambda: memory.acquire("a"), lambda: memory.acquire("c")))
holder.ask(lambda: memory.release("a"))

# At any moment: nobody who does not know of it has the lock afterwards.
both = 0
for i in range(300):
    inside = False

    def enter_and_leave():
        global inside
        with memory.lock("c"):
            inside = True
            third.ask(lambda: None)
            inside = False

    interrupt(enter_and_leave, Late(), 1e-5 * (i % 60 + 1))
    signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        memory.release("c")  # The exception came between the lock and the with statement.
    except weft_dsm.DsmError:
        pass
    if holder.ask(lambda: memory.acquire("c", 60)) == weft_dsm.TIMED_OUT:
        both += 1
    else:
        holder.ask(lambda: memory.release("c"))
say("left behind: %d" % both)
holder.ask(lambda: memory.acquire("a"))
say("closed in a handler: %s" % interrupt(lambda: memory.acquire("a"), memory.close))
memory = weft_dsm.Memory(sys.argv[1])
say("acquired: %d" % memory.acquire("a", 60))
memory.close()
