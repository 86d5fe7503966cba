"""Shared memory of Weft for Python programs: plain loads and stores of 8-byte words, no package but the standard library.

    with weft_dsm.Memory("/run/user/1000/weft-mmu") as memory:
        grid = memory.longs("grid", 1024, minipage_bytes=128)
        with memory.lock("sum"):
            grid[0] += 1
        memory.barrier("end", 4)

A node serves the directory ('weft dsm serve'). After an array was mapped nothing in this process runs when something faults or is taken away: the
node's JVM does that from outside. When the node's JVM ends, the kernel ends this process by SIGIO. A page that is lost, or of an array that was
freed, is a SIGBUS. A thread that stalls in a fault holds the interpreter's lock; the others go on afterwards. See docs/dsm-mmu.md.
"""

import contextlib
import ctypes
import errno
import fcntl
import mmap
import os
import platform
import socket
import struct
import threading

VERSION = 2
HELLO, MAP, SERVE, LOCK, UNLOCK, BARRIER, WHY, BYE, AWAIT, SIGNAL, PREFETCH, PUSH, FREE = range(1, 14)
OK, REFUSED, NODE_LOST = range(3)
RELEASED, HOLDER_LOST, TIMED_OUT = range(3)
LONGS, DOUBLES = 0, 1

_REQUEST = struct.Struct("=iiqqqii64s64s")
_REPLY = struct.Struct("=iiqqqi4x216s")
_USERFAULTFD = {"x86_64": 323, "aarch64": 282}
_FEATURES = 1 | 1 << 5 | 1 << 10 | 1 << 12 | 1 << 14
_UFFDIO_API = 3 << 30 | 24 << 16 | 0xAA << 8 | 0x3F
_UFFDIO_REGISTER = 3 << 30 | 32 << 16 | 0xAA << 8
_MISSING_WP_MINOR = 7
_USER_MODE_ONLY = 1
_F_SETOWN = 8
_O_ASYNC = 0x2000


class DsmError(Exception):
    """What was asked for cannot be; the text says what was wrong and what would be right."""


class NodeLost(DsmError):
    """A node that was needed is lost."""


def _userfaultfd():
    number = _USERFAULTFD.get(platform.machine())
    if platform.system() != "Linux" or number is None:
        raise DsmError("page protection needs Linux on x86_64 or aarch64, this is %s %s" % (platform.system(), platform.machine()))
    libc = ctypes.CDLL(None, use_errno=True)
    flags = os.O_CLOEXEC | os.O_NONBLOCK
    fd = libc.syscall(number, flags)
    if fd < 0 and ctypes.get_errno() == errno.EPERM:
        fd = libc.syscall(number, flags | _USER_MODE_ONLY)
    if fd < 0:
        code = ctypes.get_errno()
        hint = {
            errno.ENOSYS: "this kernel was built without it; it needs CONFIG_USERFAULTFD",
            errno.EPERM: "it is not permitted; a container's seccomp profile must allow it, or the process needs CAP_SYS_PTRACE, or the machine"
            " sysctl vm.unprivileged_userfaultfd=1",
        }.get(code, os.strerror(code))
        raise DsmError("userfaultfd(2): " + hint)
    try:
        fcntl.ioctl(fd, _UFFDIO_API, bytearray(struct.pack("=QQQ", 0xAA, _FEATURES, 0)))
    except OSError as refused:
        os.close(fd)
        raise DsmError("this kernel's userfaultfd cannot write-protect, resolve minor faults of and poison memory files (%s);"
                       " Linux 6.6 or later can" % refused) from refused
    return fd


class _Connection:
    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            self._socket.connect(path)
        except OSError as refused:
            self._socket.close()
            raise DsmError("no node serves applications at %s (%s); 'weft dsm serve' does" % (path, refused.strerror)) from refused
        self._lock = threading.Lock()

    def ask(self, what, kind=0, a=0, b=0, name="", lock="", fds=()):
        """Answers value, a, b and the file descriptors that came."""
        text = name.encode()
        other = lock.encode()
        if max(len(text), len(other)) > 64:
            raise DsmError("a name of %d bytes, must be from 1 to 64" % max(len(text), len(other)))
        with self._lock:
            with contextlib.suppress(BrokenPipeError):  # A node that has refused and gone has left its reply.
                socket.send_fds(self._socket, [_REQUEST.pack(what, kind, a, b, 0, len(text), len(other), text, other)], list(fds))
            data, files, _, _ = socket.recv_fds(self._socket, _REPLY.size, 4)
        if len(data) != _REPLY.size:
            raise DsmError("the node has ended the connection")
        status, value, first, second, _, length, text = _REPLY.unpack(data)
        if status != OK:
            raise (NodeLost if status == NODE_LOST else DsmError)(text[:length].decode(errors="replace"))
        return value, first, second, files, text[:length].decode(errors="replace")

    def close(self):
        self._socket.close()


class Array:
    """An array of 8-byte words. Indexing is a load or a store of one word; += on an element is both, not one step: take a lock for it."""

    def __init__(self, memory, name, code, length, stride_bytes, view_stride_bytes, fetch):
        self.name = name
        self._fetch = fetch
        self._map = memory
        self._words = memoryview(memory).cast("B").cast(code)
        self._length = length
        self._per_minipage = stride_bytes // 8
        self._per_view = view_stride_bytes // 8

    def _place(self, index):
        if not 0 <= index < self._length:
            raise IndexError("%d, must be from 0 to %d" % (index, self._length - 1))
        minipage, rest = divmod(index, self._per_minipage)
        return minipage * self._per_view + rest

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        return self._words[self._place(index)]

    def __setitem__(self, index, value):
        self._words[self._place(index)] = value

    def prefetch(self, index, count):
        """Asks for copies to read of some elements, without waiting for them. A hint."""
        self._fetch(PREFETCH, index, count)

    def push(self, index, count):
        """Gives all nodes copies to read of some elements, without waiting for it. A hint."""
        self._fetch(PUSH, index, count)

    def _close(self):
        self._words.release()
        self._map.close()


class Memory:
    """Shared memory, through the node that serves applications in a directory. One for each process; any thread."""

    def __init__(self, directory):
        self._path = os.path.join(os.path.abspath(directory), "weft-dsm")
        self._faults = _userfaultfd()
        self._arrays = {}
        self._connections = []
        self._mine = threading.local()
        self._mutex = threading.Lock()
        self._closed = False
        try:
            self._main = _Connection(self._path)
            _, self._page_bytes, _, files, _ = self._main.ask(HELLO, VERSION, fds=[self._faults])
        except BaseException:
            os.close(self._faults)
            raise
        self._lifeline = files[0]
        fcntl.fcntl(self._lifeline, _F_SETOWN, os.getpid())
        fcntl.fcntl(self._lifeline, fcntl.F_SETFL, _O_ASYNC | os.O_NONBLOCK)  # When the node's JVM ends, this is a SIGIO.

    def longs(self, name, length, minipage_bytes):
        """An array of signed 8-byte integers, the same one each time. minipage_bytes is a multiple of 8."""
        return self._array(LONGS, "q", name, length, minipage_bytes)

    def doubles(self, name, length, minipage_bytes):
        """An array of doubles."""
        return self._array(DOUBLES, "d", name, length, minipage_bytes)

    def _array(self, kind, code, name, length, minipage_bytes):
        with self._mutex:
            number, stride, array_bytes, files, _ = self._main.ask(MAP, kind, length, minipage_bytes, name)
            if number in self._arrays:
                os.close(files[0])
                return self._arrays[number]
            view_stride = -(-stride // self._page_bytes) * self._page_bytes
            view_bytes = -(-array_bytes // stride) * view_stride
            try:
                memory = mmap.mmap(files[0], view_bytes, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
            finally:
                os.close(files[0])
            memory.madvise(mmap.MADV_DONTFORK)  # A child would write unseen.
            address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
            fcntl.ioctl(self._faults, _UFFDIO_REGISTER, bytearray(struct.pack("=QQQQ", address, view_bytes, _MISSING_WP_MINOR, 0)))
            self._main.ask(SERVE, 0, number, address)

            def fetch(what, index, count):
                self._connection().ask(what, number, index, count)

            array = Array(memory, name, code, length, stride, view_stride, fetch)
            self._arrays[number] = array
            return array

    def _connection(self):
        if not hasattr(self._mine, "connection"):
            self._mine.connection = _Connection(self._path)
            self._connections.append(self._mine.connection)
        return self._mine.connection

    def acquire(self, name, timeout_s=None):
        """Waits for a lock: RELEASED, HOLDER_LOST, or TIMED_OUT where it was not got."""
        return self._connection().ask(LOCK, a=-1 if timeout_s is None else int(timeout_s * 1e9), name=name)[0]

    def release(self, name):
        """Gives a lock back."""
        self._connection().ask(UNLOCK, name=name)

    @contextlib.contextmanager
    def lock(self, name):
        """A lock, for a with statement."""
        how = self.acquire(name)
        try:
            yield how
        finally:
            self.release(name)

    def wait(self, name, lock, timeout_s=None):
        """Gives a lock back that this thread has, waits for a signal of the condition, and for the lock; False if no signal came."""
        return self._connection().ask(AWAIT, a=-1 if timeout_s is None else int(timeout_s * 1e9), name=name, lock=lock)[0] != TIMED_OUT

    def signal(self, name, lock, everybody=False):
        """Wakes one, or all, of those that wait for a condition of a lock that this thread has."""
        self._connection().ask(SIGNAL, int(everybody), name=name, lock=lock)

    def free(self, name):
        """Gives an array back, of all nodes. Touching it is a SIGBUS from now on."""
        self._main.ask(FREE, name=name)

    def barrier(self, name, parties):
        """Waits until so many threads of all nodes are here."""
        self._connection().ask(BARRIER, a=parties, name=name)

    def why(self):
        """Why the node has made a page an error last."""
        return self._main.ask(WHY)[4]

    def close(self):
        """Unmaps all arrays and leaves."""
        if self._closed:
            return
        self._closed = True
        fcntl.fcntl(self._lifeline, fcntl.F_SETFL, 0)
        for array in self._arrays.values():
            array._close()
        with contextlib.suppress(DsmError, OSError):
            self._main.ask(BYE)
        for connection in self._connections:
            connection.close()
        self._main.close()
        os.close(self._faults)
        os.close(self._lifeline)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()
