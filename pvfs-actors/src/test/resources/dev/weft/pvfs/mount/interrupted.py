"""Processes append, wait, and get a signal, which has to end that: nothing is written then. The arguments are how many there are of
each file, and the seconds until then."""
import os
import signal
import sys

paths = sys.argv[3:]


class Signalled(Exception):
    pass


def signalled(number, frame):
    raise Signalled


children = []
for writer in range(int(sys.argv[1]) * len(paths)):
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signalled)
        fd = os.open(paths[writer % len(paths)], os.O_WRONLY | os.O_APPEND)
        signal.setitimer(signal.ITIMER_REAL, float(sys.argv[2]))
        try:
            os.write(fd, b"lost\n")
            said = "written"
        except Signalled:
            said = "interrupted"
        os.write(1, (said + "\n").encode())
        os._exit(0)
    children.append(child)
assert all(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 for child in children)
