"""Record locks and flock of processes that come by two paths to the same file."""
import errno
import fcntl
import os
import signal
import struct
import sys
import time

ONE, OTHER = (os.path.join(path, "locked") for path in sys.argv[1:3])
open(ONE, "wb").write(bytes(1000))


def lock(fd, kind, start, length, waits=False):
    fcntl.fcntl(fd, fcntl.F_SETLKW if waits else fcntl.F_SETLK, struct.pack("hhqqi", kind, 0, start, length, 0))


def holder(fd, kind, start, length):
    kind, _, start, length, pid = struct.unpack("hhqqi", fcntl.fcntl(fd, fcntl.F_GETLK, struct.pack("hhqqi", kind, 0, start, length, 0)))
    return None if kind == fcntl.F_UNLCK else (kind, start, length, pid)


def refused(expected, *arguments):
    try:
        lock(*arguments)
    except OSError as error:
        assert error.errno == expected, errno.errorcode[error.errno]
    else:
        raise AssertionError("not refused")


class Other:
    """A process on the other mount, which does as it is told."""

    def __init__(self, program):
        self.done, done = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                program(lambda: os.write(done, b"x"))
                os._exit(0)
            except BaseException as failed:
                print(repr(failed))
                os._exit(1)
        os.close(done)

    def said(self):
        assert os.read(self.done, 1) == b"x"

    def end(self):
        assert os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]) == 0


fd = os.open(ONE, os.O_RDWR)


def reader(say):
    other = os.open(OTHER, os.O_RDWR)
    lock(other, fcntl.F_RDLCK, 0, 100)
    lock(other, fcntl.F_WRLCK, 200, 100)
    say()
    signal.pause()


child = Other(reader)
child.said()
lock(fd, fcntl.F_RDLCK, 50, 50)
refused(errno.EAGAIN, fd, fcntl.F_WRLCK, 50, 50)
refused(errno.EAGAIN, fd, fcntl.F_RDLCK, 250, 1)
assert holder(fd, fcntl.F_WRLCK, 150, 1000)[:3] == (fcntl.F_WRLCK, 200, 100)
lock(fd, fcntl.F_WRLCK, 100, 100)
os.kill(child.pid, signal.SIGKILL)
os.waitpid(child.pid, 0)
lock(fd, fcntl.F_WRLCK, 0, 0, True)


def waiter(say):
    other = os.open(OTHER, os.O_RDWR)
    say()
    lock(other, fcntl.F_WRLCK, 10, 10, True)
    say()


child = Other(waiter)
child.said()
time.sleep(0.2)
lock(fd, fcntl.F_UNLCK, 0, 0)
child.said()
child.end()

signal.signal(signal.SIGALRM, lambda *_: None)


def interrupted(say):
    signal.setitimer(signal.ITIMER_REAL, 0.3, 0.3)
    other = os.open(OTHER, os.O_RDWR)

    class Alarm(Exception):
        pass

    def alarm(*_):
        raise Alarm()

    signal.signal(signal.SIGALRM, alarm)
    try:
        lock(other, fcntl.F_WRLCK, 0, 1, True)
    except Alarm:
        say()
    else:
        raise AssertionError("locked")


lock(fd, fcntl.F_WRLCK, 0, 1)
child = Other(interrupted)
child.said()
child.end()


def deadlock(say):
    other = os.open(OTHER, os.O_RDWR)
    lock(other, fcntl.F_WRLCK, 1, 1)
    say()
    try:
        lock(other, fcntl.F_WRLCK, 0, 1, True)
    except OSError as error:
        assert error.errno == errno.EDEADLK


child = Other(deadlock)
child.said()
time.sleep(0.2)
try:
    lock(fd, fcntl.F_WRLCK, 1, 1, True)
except OSError as error:
    assert error.errno == errno.EDEADLK
    lock(fd, fcntl.F_UNLCK, 0, 0)
else:
    lock(fd, fcntl.F_UNLCK, 0, 0)
child.end()

second = os.open(OTHER, os.O_RDWR)
fcntl.flock(fd, fcntl.LOCK_SH)
fcntl.flock(second, fcntl.LOCK_SH | fcntl.LOCK_NB)
try:
    fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    pass
else:
    raise AssertionError("flock over both mounts")
fcntl.flock(fd, fcntl.LOCK_UN)
fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
os.close(second)
fcntl.flock(fd, fcntl.LOCK_EX)
print("all held")
