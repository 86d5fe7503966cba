"""Shared memory of Weft for Python programs: plain loads and stores of 8-byte words, no package but the standard library.

    with weft_dsm.Memory("/run/user/1000/weft-mmu") as memory:
        grid = memory.longs("grid", 1024, minipage_bytes=128)
        with memory.lock("sum"):
            grid[0] += 1
        memory.barrier("end", 4)

A node serves the directory ('weft dsm serve'). After an array was mapped nothing in this process runs when something faults or is taken away: the
node's JVM does that from outside. When the node's JVM ends, the kernel ends this process by SIGIO. A page that is lost, or of an array that was
freed, is a SIGBUS. A thread that stalls in a fault holds the interpreter's lock; the others go on afterwards. See docs/guides/shared-memory.md.
"""

import contextlib
import ctypes
import errno
import fcntl
import itertools
import mmap
import operator
import os
import platform
import select
import socket
import struct
import threading
import weakref

VERSION = 2
HELLO, MAP, SERVE, LOCK, UNLOCK, BARRIER, WHY, BYE, AWAIT, SIGNAL, PREFETCH, PUSH, FREE, CANCEL = range(1, 15)
OK, REFUSED, NODE_LOST, WRONG_VALUE = range(4)
_OF_CONNECTION = 1
RELEASED, HOLDER_LOST, TIMED_OUT = range(3)
LONGS, DOUBLES = 0, 1

_REQUEST = struct.Struct("=iiqqqii64s64s")
_REPLY = struct.Struct("=iiqqqi4x216s")
_NUMBERS = itertools.count(1)  # Of requests, so that a reply is never taken for that of another request.
_CANCEL_AGAIN_MS = 50
_SHORTAGES = {errno.ENOBUFS, errno.ENOMEM, errno.ETOOMANYREFS}
_SOCKET_ERRORS = {errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN, errno.EBADF} | _SHORTAGES
_USERFAULTFD = {"x86_64": 323, "aarch64": 282}
_FEATURES = 1 | 1 << 5 | 1 << 10 | 1 << 12 | 1 << 14
_UFFDIO_API = 3 << 30 | 24 << 16 | 0xAA << 8 | 0x3F
_UFFDIO_REGISTER = 3 << 30 | 32 << 16 | 0xAA << 8
_MISSING_WP_MINOR = 7
_USER_MODE_ONLY = 1
_F_SETOWN = 8
_O_ASYNC = 0x2000
_CLOSED = "this memory was closed"


class DsmError(Exception):
    """What was asked for cannot be; the text says what was wrong and what would be right."""


class NodeLost(DsmError):
    """A node that was needed is lost."""


class NoSuchElement(DsmError, IndexError):
    """An index that an array has not; iteration ends by it."""


class WrongValue(DsmError, ValueError):
    """A number or a text that cannot be what it was given for."""


_REFUSALS = {NODE_LOST: NodeLost, WRONG_VALUE: WrongValue}


def _word(what, value):
    """A whole number of 8 bytes, as requests carry them."""
    try:
        number = operator.index(value)
    except TypeError:
        raise WrongValue("%s is %r, must be a whole number" % (what, value)) from None
    if not -(1 << 63) <= number < 1 << 63:
        raise WrongValue("%s is %d, must be from -2**63 to 2**63 - 1" % (what, number))
    return number


def _text(what, value):
    """A name of an object; which characters it may have the node says."""
    try:
        text = value.encode()
    except AttributeError:
        raise WrongValue("%s is %r, must be a str" % (what, value)) from None
    except UnicodeEncodeError as half:
        raise WrongValue("%s has half of a surrogate pair at index %d, must be printable characters" % (what, half.start)) from None
    if not 1 <= len(text) <= 64:
        raise WrongValue("%s of %d bytes, must be from 1 to 64" % (what, len(text)))
    return text


def _nanos(timeout_s):
    """How long to wait at most; -1 for ever, which is None and what is too long for a clock."""
    if timeout_s is None:
        return -1
    try:
        nanos = float(timeout_s) * 1e9
    except (TypeError, ValueError, OverflowError):
        raise WrongValue("timeout_s is %r, must be seconds, or None to wait for ever" % (timeout_s,)) from None
    if nanos != nanos:
        raise WrongValue("timeout_s is not a number, must be seconds, or None to wait for ever")
    return -1 if nanos >= 2.0**63 else int(nanos) if nanos > 0 else 0


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
    """Requests, one after the other, and their replies. If an exception ends the wait for a reply, the request is canceled, and a lock that it has
    brought is given back; locks that the connection had before stay."""

    def __init__(self, path, cancel=None):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(None)  # Whatever the program's default is.
        try:
            self._socket.connect(path)
        except OSError as refused:
            self._socket.close()
            if not refused.errno and not str(refused).startswith("AF_UNIX"):
                raise  # Of a signal handler.
            raise DsmError("no node serves applications at %s (%s); 'weft dsm serve' does" % (path, refused.strerror or refused)) from refused
        except BaseException:
            self._socket.close()
            raise
        self._cancel = cancel  # By another connection; None if nothing that is asked here waits for others.
        self._lock = threading.RLock()
        self._is_asking = False
        self._held = set()
        self._open = None  # A request whose reply nobody has got yet: what, its number, a name, and whether its lock is to be given back.
        self.is_over = False  # Refused or ended by the node: nothing can be asked by it any more, and who asked has been told.

    def ask(self, what, kind=0, a=0, b=0, name=b"", lock=b"", fds=()):
        """Answers value, a, b, the file descriptors that came, and a text. Numbers and names have been checked."""
        with self._lock:
            if self._is_asking:
                raise DsmError("a call of this thread waits for the node's reply; a signal handler cannot make another one meanwhile")
            self._is_asking = True
            try:
                self._settle()
                number = next(_NUMBERS)
                self._open = what, number, name, what == UNLOCK or what == LOCK and name not in self._held
                self._send(_REQUEST.pack(what, kind, a, b, number, len(name), len(lock), name, lock), fds)
                reply = self._reply_to(number)
                self._note(what, name, *reply[:2])
                self._open = None
                if reply[0] != OK:
                    raise _REFUSALS.get(reply[0], DsmError)(reply[-1])
                return reply[1:]
            except BaseException:
                with contextlib.suppress(DsmError):
                    self._settle()
                raise
            finally:
                self._is_asking = False

    def _settle(self):
        """Cancels a request whose reply nobody has got, and gives back a lock that it may have brought."""
        if self._open is None or self.is_over:
            return
        what, number, name, is_to_return = self._open
        last = next(_NUMBERS)
        returned = name if is_to_return else b""
        self._send(_REQUEST.pack(UNLOCK if is_to_return else WHY, 0, 0, 0, last, len(returned), 0, returned, b""))
        replies = select.poll()
        replies.register(self._socket, select.POLLIN)
        while self._cancel is not None and not self._cancel(number) and not replies.poll(_CANCEL_AGAIN_MS):
            pass  # The node has not read the request yet.
        self._reply_to(last)
        if is_to_return:
            self._held.discard(name)
        self._open = None

    def _note(self, what, name, status, value):
        self.is_over = status == REFUSED and value == _OF_CONNECTION
        if what == LOCK and status == OK and value != TIMED_OUT:
            self._held.add(name)
        elif what == UNLOCK and status == OK:
            self._held.discard(name)

    def _send(self, request, fds=()):
        with self._translated(), contextlib.suppress(BrokenPipeError):  # A node that has refused and gone has left its reply.
            socket.send_fds(self._socket, [request], list(fds))

    def _reply_to(self, number):
        """Status, value, a, b, files and text. A number of 0 refuses the connection, whatever was asked."""
        while True:
            with self._translated():
                data, files, _, _ = socket.recv_fds(self._socket, _REPLY.size, 4)
            for file in files:
                os.set_inheritable(file, False)  # Who executes another program has no lifeline that would end that one.
            if len(data) != _REPLY.size:
                self.is_over = True
                raise DsmError("the node has ended the connection")
            status, value, first, second, answered, length, text = _REPLY.unpack(data)
            if answered in (number, 0):
                return status, value, first, second, files, text[:length].decode(errors="replace")
            for file in files:
                os.close(file)

    @contextlib.contextmanager
    def _translated(self):
        """Errors of the socket become DsmErrors; what a signal handler raises stays what it is."""
        try:
            yield
        except OSError as failed:
            if self._socket.fileno() < 0:
                self.is_over = True
                raise DsmError(_CLOSED) from None
            if failed.errno not in _SOCKET_ERRORS:
                raise
            self.is_over = failed.errno not in _SHORTAGES
            raise DsmError("the node does not answer (%s)" % failed.strerror) from failed

    def close(self):
        self._socket.close()


class _OfThread:
    """What a thread has to itself; nobody else refers to it, so that it goes with the thread, and closes the thread's connection."""

    def __init__(self, connection):
        self.connection = connection

    def __del__(self):
        self.connection.close()


class Array:
    """An array of 8-byte words. Indexing is a load or a store of one word; += on an element is both, not one step: take a lock for it."""

    def __init__(self, memory, name, code, length, stride_bytes, view_stride_bytes, fetch):
        self.name = name
        self._closed = None
        self._fetch = fetch
        self._map = memory
        self._words = memoryview(memory).cast("B").cast(code)
        self._length = length
        self._per_minipage = stride_bytes // 8
        self._per_view = view_stride_bytes // 8

    def _place(self, index):
        try:
            index = operator.index(index)
        except TypeError:
            raise WrongValue("index %r of \"%s\", must be a whole number; elements are reached one by one" % (index, self.name)) from None
        if not 0 <= index < self._length:
            raise NoSuchElement("element %d of \"%s\", must be from 0 to %d" % (index, self.name, self._length - 1))
        minipage, rest = divmod(index, self._per_minipage)
        return minipage * self._per_view + rest

    def _refusal(self, value):
        """Why a load or a store was refused; value is what was to be stored."""
        if self._closed:
            return DsmError(self._closed)
        what = "a double" if self._words.format == "d" else "a whole number from -2**63 to 2**63 - 1"
        return WrongValue("%r for an element of \"%s\", must be %s" % (value, self.name, what))

    def _range(self, index, count):
        index, count = _word("index", index), _word("count", count)
        if index < 0 or count < 0 or count > self._length - index:
            raise NoSuchElement("%d elements from %d of \"%s\", which has %d" % (count, index, self.name, self._length))
        return index, count

    def _ask_for(self, what, index, count):
        index, count = self._range(index, count)
        if count:
            self._fetch(what, index, count)

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        place = self._place(index)
        try:
            return self._words[place]
        except ValueError:
            raise self._refusal(None) from None

    def __setitem__(self, index, value):
        place = self._place(index)
        try:
            self._words[place] = value
        except (ValueError, TypeError, OverflowError):
            raise self._refusal(value) from None

    def prefetch(self, index, count):
        """Asks for copies to read of some elements, without waiting for them. A hint."""
        self._ask_for(PREFETCH, index, count)

    def push(self, index, count):
        """Gives all nodes copies to read of some elements, without waiting for it. A hint."""
        self._ask_for(PUSH, index, count)

    def _close(self, why):
        self._closed = why
        self._words.release()
        self._map.close()


class _Locked:
    """No generator: an exception of a signal handler at any moment leaves the lock or gives it back."""

    def __init__(self, memory, name):
        self._memory = memory
        self._name = name

    def __enter__(self):
        return self._memory.acquire(self._name)

    def __exit__(self, *unused):
        self._memory.release(self._name)


_MEMORIES = weakref.WeakSet()


def _after_fork():
    for memory in list(_MEMORIES):
        memory._leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)


class Memory:
    """Shared memory, through the node that serves applications in a directory. One for each process; any thread.

    A lock of a thread that ends goes on, and who gets it next is told HOLDER_LOST. The child of a fork does not have this memory: it makes one of
    its own.
    """

    def __init__(self, directory):
        self._path = os.path.join(os.path.abspath(directory), "weft-dsm")
        self._faults = _userfaultfd()
        self._arrays = {}
        self._views = {}
        self._of_threads = weakref.WeakSet()
        self._mine = threading.local()
        self._mutex = threading.RLock()
        self._closed = None  # Why, if it is.
        self._process = os.getpid()
        try:
            self._main = _Connection(self._path)
            try:
                self._page_bytes, self._lifeline = self._say_hello()
            except BaseException:
                self._main.close()
                raise
        except BaseException:
            os.close(self._faults)
            raise
        _MEMORIES.add(self)
        fcntl.fcntl(self._lifeline, _F_SETOWN, os.getpid())
        fcntl.fcntl(self._lifeline, fcntl.F_SETFL, _O_ASYNC | os.O_NONBLOCK)  # When the node's JVM ends, this is a SIGIO.

    def _say_hello(self):
        try:
            _, page_bytes, _, files, _ = self._main.ask(HELLO, VERSION, fds=[self._faults])
        except DsmError:
            raise
        except BaseException:
            if all(other._closed or other._path != self._path for other in _MEMORIES):
                self._say_goodbye()
            raise
        try:
            return page_bytes, self._file_of(files)
        except DsmError:
            self._say_goodbye()
            raise

    @staticmethod
    def _file_of(files):
        if not files:
            raise DsmError("this process has no room for another open file; raise its limit (ulimit -n), or close some")
        return files[0]

    def _require_open(self):
        if not self._closed and os.getpid() != self._process:
            self._leave_to_parent()
        if self._closed:
            raise DsmError(self._closed)

    def _of_process(self):
        """The connection that all threads share."""
        self._require_open()
        with self._mutex:
            if self._main.is_over:
                self._main.close()
                self._main = _Connection(self._path)
            return self._main

    def _cancel(self, number):
        return self._of_process().ask(CANCEL, a=number)[0]

    def longs(self, name, length, minipage_bytes):
        """An array of signed 8-byte integers, the same one each time. minipage_bytes is a multiple of 8."""
        return self._array(LONGS, "q", name, length, minipage_bytes)

    def doubles(self, name, length, minipage_bytes):
        """An array of doubles."""
        return self._array(DOUBLES, "d", name, length, minipage_bytes)

    def _array(self, kind, code, name, length, minipage_bytes):
        length, minipage_bytes = _word("length", length), _word("minipage_bytes", minipage_bytes)
        text = _text("the array's name", name)
        with self._mutex:
            number, stride, array_bytes, files, _ = self._of_process().ask(MAP, kind, length, minipage_bytes, text)
            file = self._file_of(files)
            if number in self._arrays:
                os.close(file)
                return self._arrays[number]
            view_stride = -(-stride // self._page_bytes) * self._page_bytes
            view_bytes = -(-array_bytes // stride) * view_stride
            try:
                memory, address = self._views.get(number) or self._map(file, view_bytes)
            except (OSError, ValueError, OverflowError) as refused:
                raise DsmError("the view of \"%s\" of %d bytes cannot be mapped (%s)" % (name, view_bytes, refused)) from refused
            finally:
                os.close(file)
            self._views[number] = memory, address  # It stays where it is, whether an exception keeps the node's reply from this thread or not.
            self._of_process().ask(SERVE, 0, number, address)

            def fetch(what, index, count):
                self._connection().ask(what, number, index, count)

            array = Array(memory, name, code, length, stride, view_stride, fetch)
            self._arrays[number] = array
            return array

    def _map(self, file, view_bytes):
        memory = mmap.mmap(file, view_bytes, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
        memory.madvise(mmap.MADV_DONTFORK)  # A child would write unseen.
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        fcntl.ioctl(self._faults, _UFFDIO_REGISTER, bytearray(struct.pack("=QQQQ", address, view_bytes, _MISSING_WP_MINOR, 0)))
        return memory, address

    def _connection(self):
        self._require_open()
        if hasattr(self._mine, "one") and self._mine.one.connection.is_over:
            del self._mine.one  # The node may have room for a new one by now.
        if not hasattr(self._mine, "one"):
            one = _OfThread(_Connection(self._path, self._cancel))
            with self._mutex:
                self._of_threads.add(one)
            self._mine.one = one
        return self._mine.one.connection

    def acquire(self, name, timeout_s=None):
        """Waits for a lock: RELEASED, HOLDER_LOST, or TIMED_OUT where it was not got; with a timeout of 0 or less it does not wait."""
        return self._connection().ask(LOCK, a=_nanos(timeout_s), name=_text("the lock's name", name))[0]

    def release(self, name):
        """Gives a lock back."""
        self._connection().ask(UNLOCK, name=_text("the lock's name", name))

    def lock(self, name):
        """A lock, for a with statement, whose variable is what acquire() answers."""
        return _Locked(self, name)

    def wait(self, name, lock, timeout_s=None):
        """Gives a lock back that this thread has, waits for a signal of the condition, and for the lock; False if no signal came."""
        names = {"name": _text("the condition's name", name), "lock": _text("the lock's name", lock)}
        return self._connection().ask(AWAIT, a=_nanos(timeout_s), **names)[0] != TIMED_OUT

    def signal(self, name, lock, everybody=False):
        """Wakes one, or all, of those that wait for a condition of a lock that this thread has."""
        names = {"name": _text("the condition's name", name), "lock": _text("the lock's name", lock)}
        self._connection().ask(SIGNAL, int(bool(everybody)), **names)

    def free(self, name):
        """Gives an array back, of all nodes. Touching it is a SIGBUS from now on."""
        self._of_process().ask(FREE, name=_text("the array's name", name))

    def barrier(self, name, parties):
        """Waits until so many threads of all nodes are here."""
        self._connection().ask(BARRIER, a=_word("parties", parties), name=_text("the barrier's name", name))

    def why(self):
        """Why the node has made a page an error last."""
        return self._of_process().ask(WHY)[4]

    def close(self):
        """Unmaps all arrays and leaves."""
        if not self._closed and os.getpid() != self._process:
            self._leave_to_parent()
        if self._closed:
            return
        fcntl.fcntl(self._lifeline, fcntl.F_SETFL, 0)
        self._unmap(_CLOSED)
        self._say_goodbye()
        self._close_files()

    def _unmap(self, why):
        self._closed = why
        for array in self._arrays.values():
            array._close(why)
        for memory, _ in self._views.values():
            memory.close()

    def _say_goodbye(self):
        with contextlib.suppress(DsmError, OSError):
            try:
                self._main.ask(BYE)
            except DsmError:  # In a signal handler, while a call waits; or the node has ended.
                last = _Connection(self._path)
                try:
                    last.ask(BYE)
                finally:
                    last.close()

    def _close_files(self):
        for one in list(self._of_threads):
            one.connection.close()
        self._main.close()
        os.close(self._faults)
        os.close(self._lifeline)

    def _leave_to_parent(self):
        """In a child: it closes its copies of what its parent goes on using, and says nothing to the node, nor to the kernel about the lifeline."""
        if not self._closed:
            self._unmap("this memory is of process %d; its child %d must make a Memory of its own" % (self._process, os.getpid()))
            self._close_files()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def __copy__(self):
        raise TypeError("a Memory cannot be copied: its copy would close the same descriptors; pass the Memory itself")

    def __del__(self):
        """Who drops the memory leaves: without a goodbye its node would end the lifeline, and the kernel this process."""
        if hasattr(self, "_lifeline"):  # It has joined.
            self.close()
