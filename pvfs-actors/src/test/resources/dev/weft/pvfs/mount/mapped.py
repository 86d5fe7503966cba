"""Mappings of files that another mount has open, too: mapped.py A B."""
import errno
import mmap
import os
import signal
import sys
import time

A, B = sys.argv[1:3]
PAGE = 4096


def made(name, content=b"old"):
    fd = os.open(A + name, os.O_CREAT | os.O_RDWR)
    os.write(fd, content + bytes(PAGE - len(content)))
    os.close(fd)


def map_to_write(path):
    fd = os.open(path, os.O_RDWR)
    return fd, mmap.mmap(fd, PAGE, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)


def opened(path, flags):
    """The name of the error, or OK."""
    try:
        os.close(os.open(path, flags))
        return "OK"
    except OSError as refused:
        return errno.errorcode[refused.errno]


def until(condition, what):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    sys.exit("not so: " + what)


def one_mount():
    made("/one")
    fd, mapped = map_to_write(A + "/one")
    mapped[:3] = b"new"
    mapped.flush()
    assert os.pread(fd, 3, 0) == b"new"
    os.pwrite(fd, b"two", 0)
    assert mapped[:3] == b"two", mapped[:3]
    reader = os.open(A + "/one", os.O_RDONLY)
    assert mmap.mmap(reader, PAGE, mmap.MAP_SHARED, mmap.PROT_READ)[:3] == b"two"


def others_may_not_write_what_is_mapped():
    made("/mapped")
    fd, mapped = map_to_write(A + "/mapped")
    assert mapped[:3] == b"old"
    said = [opened(B + "/mapped", flags) for flags in (os.O_RDWR, os.O_WRONLY, os.O_RDONLY)]
    assert said == ["EBUSY", "EBUSY", "OK"], said
    try:
        os.truncate(B + "/mapped", 0)
        sys.exit("it was cut under a mapping")
    except OSError as refused:
        assert refused.errno == errno.EBUSY, refused
    mapped[:3] = b"new"
    mapped.close()
    os.close(fd)
    until(lambda: opened(B + "/mapped", os.O_RDWR) == "OK", "it is free again")
    with open(B + "/mapped", "rb") as other:
        assert other.read(3) == b"new"


def what_others_write_cannot_be_mapped():
    made("/written")
    writer = os.open(B + "/written", os.O_RDWR)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGBUS, signal.SIG_DFL)
        _, mapped = map_to_write(A + "/written")
        os._exit(mapped[0] & 1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGBUS, status
    os.pwrite(writer, b"new", 0)
    os.close(writer)
    with open(A + "/written", "rb") as other:
        assert other.read(3) == b"new"


def a_reader_sees_what_the_other_mount_writes():
    made("/read")
    writer = os.open(A + "/read", os.O_RDWR)
    fd = os.open(B + "/read", os.O_RDONLY)
    mapped = mmap.mmap(fd, PAGE, mmap.MAP_SHARED, mmap.PROT_READ)
    assert mapped[:3] == b"old"
    os.pwrite(writer, b"new", 0)
    until(lambda: mapped[:3] == b"new", "the mapping shows the write")
    os.close(writer)
    with open(A + "/read", "r+b") as again:
        again.write(b"end")
    until(lambda: mapped[:3] == b"end", "the mapping shows a write that was closed")


one_mount()
others_may_not_write_what_is_mapped()
what_others_write_cannot_be_mapped()
if len(sys.argv) == 3:
    a_reader_sees_what_the_other_mount_writes()
print("OK")
