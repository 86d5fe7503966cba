"""Asks a directory what it does, and prints the outcome of each question on a line: two file systems are alike where they print the same."""
import ctypes
import errno
import fcntl
import mmap
import os
import stat
import struct
import sys
import time

os.chdir(sys.argv[1])
os.umask(0)
os.chmod(".", 0o755)
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]
NOBODY = 65534


def ask(what, function, *arguments, **named):
    try:
        result = function(*arguments, **named)
    except OSError as error:
        result = errno.errorcode.get(error.errno, error.errno)
    print(f"{what}: {result!r}")


def put(name, content=b"", mode=0o644):
    with open(name, "wb") as file:
        file.write(content)
    os.chmod(name, mode)


def get(name):
    with open(name, "rb") as file:
        return file.read()


def opened(name, flags, function=lambda fd: "opened", mode=0o644):
    fd = os.open(name, flags, mode)
    try:
        return function(fd)
    finally:
        os.close(fd)


def as_nobody(function, *arguments):
    """The outcome of a function in a process of another user, as a number of at most 255."""
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        try:
            function(*arguments)
            os._exit(0)
        except OSError as error:
            os._exit(error.errno)
    return errno.errorcode.get(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "done")


def fallocate(fd, mode, offset, length):
    if LIBC.fallocate(fd, mode, offset, length) < 0:
        raise OSError(ctypes.get_errno(), "fallocate")
    return os.fstat(fd).st_size


def rename2(old, new, flags):
    if LIBC.renameat2(-100, os.fsencode(old), -100, os.fsencode(new), flags) < 0:
        raise OSError(ctypes.get_errno(), "renameat2")


put("f", b"0123456789")
os.mkdir("d")
os.mkdir("d/full")
put("d/full/x")
os.symlink("f", "s")
os.symlink("nowhere", "dangling")
os.symlink("loop", "loop")

# Opening.
ask("open nothing", opened, "none", os.O_RDONLY)
ask("open with O_EXCL", opened, "f", os.O_CREAT | os.O_EXCL)
ask("open a symbolic link with O_EXCL", opened, "dangling", os.O_CREAT | os.O_EXCL)
ask("open a link with O_NOFOLLOW", opened, "s", os.O_RDONLY | os.O_NOFOLLOW)
ask("open a loop", opened, "loop", os.O_RDONLY)
ask("open a directory to write", opened, "d", os.O_WRONLY)
ask("open a file as a directory", opened, "f", os.O_RDONLY | os.O_DIRECTORY)
ask("open below a file", opened, "f/x", os.O_RDONLY)
ask("open with a slash at the end", opened, "f/", os.O_RDONLY)
ask("open and cut", opened, "f", os.O_RDWR | os.O_TRUNC, lambda fd: os.fstat(fd).st_size)
ask("cut what may be read only", opened, "f", os.O_RDONLY, lambda fd: os.ftruncate(fd, 1))
ask("write what may be read only", opened, "f", os.O_RDONLY, lambda fd: os.write(fd, b"x"))
ask("read what may be written only", opened, "f", os.O_WRONLY, lambda fd: os.read(fd, 1))
ask("make through a dangling link", opened, "dangling", os.O_CREAT | os.O_WRONLY)
ask("it is there", os.path.exists, "nowhere")

# Names.
ask("a name of 255 bytes", put, "n" * 255)
ask("a name of 256 bytes", put, "n" * 256)
ask("a path that is too long", os.stat, "d/" * 2100)
ask("a name of odd bytes", put, b"\x01\xff\n\x80")
ask("it is listed", lambda: b"\x01\xff\n\x80" in os.listdir(b"."))
ask("make a directory that is there", os.mkdir, "d")
ask("make below nothing", os.mkdir, "none/x")
ask("remove a full directory", os.rmdir, "d")
ask("remove a file as a directory", os.rmdir, "f")
ask("unlink a directory", os.unlink, "d")
ask("remove dot", os.rmdir, "d/.")
ask("remove dot dot", os.rmdir, "d/full/..")
ask("rename into itself", os.rename, "d", "d/full/d")
ask("rename a file over a directory", os.rename, "f", "d")
ask("rename a directory over a file", os.rename, "d", "f")
ask("rename over a full directory", lambda: (os.mkdir("e"), os.rename("e", "d")))
ask("rename over an empty one", lambda: (os.mkdir("e2"), os.rename("e", "e2"), os.path.isdir("e2")))
ask("rename nothing", os.rename, "none", "x")
ask("rename to itself", os.rename, "f", "f")
ask("rename over its own link", lambda: (os.link("f", "f2"), os.rename("f", "f2"), os.path.exists("f"), os.stat("f2").st_nlink))
ask("rename, not over another", rename2, "f2", "s", 1)
ask("rename, not over another, which is not there", rename2, "f2", "f3", 1)
ask("exchange", lambda: (rename2("f3", "d", 2), os.path.isdir("f3"), os.path.isfile("d"), rename2("f3", "d", 2)))
ask("exchange with nothing", rename2, "f3", "none", 2)
ask("odd flags", rename2, "f3", "none", 3)
ask("link a directory", os.link, "d", "dl")
ask("link over another", os.link, "f3", "f")
ask("links of a directory", lambda: (os.stat("d").st_nlink, os.mkdir("d/more"), os.stat("d").st_nlink, os.rmdir("d/more"), os.stat("d").st_nlink))
ask("a long target", lambda: (os.symlink("t" * 4095, "long"), len(os.readlink("long"))))
ask("the size of a link", lambda: os.lstat("s").st_size)
ask("read a file as a link", os.readlink, "f3")
ask("open what was unlinked", lambda: opened("f3", os.O_RDWR, lambda fd: (os.write(fd, b"gone"), os.unlink("f3"), os.fstat(fd).st_nlink, os.pread(fd, 9, 0))))
ask("replace what is open", lambda: (put("r", b"old"), put("r2", b"new"), opened("r", os.O_RDONLY, lambda fd: (os.rename("r2", "r"), os.read(fd, 9))), get("r")))

# Content.
put("c", b"abcdef")
ask("a hole", lambda: opened("c", os.O_RDWR, lambda fd: (os.pwrite(fd, b"x", 100_000), os.pread(fd, 4, 50_000), os.fstat(fd).st_size)))
ask("longer, then shorter, then longer", lambda: (os.truncate("c", 200_000), os.truncate("c", 3), os.truncate("c", 9), get("c")))
ask("a negative length", os.truncate, "c", -1)
ask("cut a directory", os.truncate, "d", 0)
ask("read behind the end", lambda: opened("c", os.O_RDONLY, lambda fd: os.pread(fd, 5, 1000)))
ask("read at the end", lambda: opened("c", os.O_RDONLY, lambda fd: os.pread(fd, 5, 7)))
ask("seek before the beginning", lambda: opened("c", os.O_RDONLY, lambda fd: os.lseek(fd, -1, os.SEEK_SET)))
ask("seek from the end", lambda: opened("c", os.O_RDONLY, lambda fd: os.lseek(fd, -2, os.SEEK_END)))
ask("seek a hole behind the end", lambda: opened("c", os.O_RDONLY, lambda fd: os.lseek(fd, 100, os.SEEK_HOLE)))
ask("append", lambda: opened("c", os.O_WRONLY | os.O_APPEND, lambda fd: (os.write(fd, b"+"), os.pwrite(fd, b"-", 0), get("c"))))
ask("several pieces", lambda: opened("c", os.O_RDWR, lambda fd: (os.pwritev(fd, [b"12", b"", b"345"], 1), os.pread(fd, 9, 0))))
ask("nothing written", lambda: opened("c", os.O_RDWR, lambda fd: (os.write(fd, b""), os.fstat(fd).st_size)))
ask("allocate", lambda: opened("c", os.O_RDWR, lambda fd: fallocate(fd, 0, 0, 1000)))
ask("allocate behind the end and keep the size", lambda: opened("c", os.O_RDWR, lambda fd: (fallocate(fd, 1, 500, 5000), os.fstat(fd).st_size, get("c")[:6])))
ask("allocate more than there is and keep the size", lambda: opened("c", os.O_RDWR, lambda fd: fallocate(fd, 1, 0, 1 << 40)))
ask("punch", lambda: opened("c", os.O_RDWR, lambda fd: (fallocate(fd, 3, 1, 3), get("c")[:6])))
ask("punch without keeping the size", lambda: opened("c", os.O_RDWR, lambda fd: fallocate(fd, 2, 1, 3)))
ask("allocate nothing", lambda: opened("c", os.O_RDWR, lambda fd: fallocate(fd, 0, 0, 0)))
ask("allocate what may be read only", lambda: opened("c", os.O_RDONLY, lambda fd: fallocate(fd, 0, 0, 10)))
ask("copy a range", lambda: opened("c", os.O_RDONLY, lambda fd: opened("copy", os.O_CREAT | os.O_RDWR, lambda to: (os.copy_file_range(fd, to, 5, 1, 2), get("copy")))))
ask("send a file", lambda: opened("c", os.O_RDONLY, lambda fd: opened("sent", os.O_CREAT | os.O_RDWR, lambda to: (os.sendfile(to, fd, 0, 5), get("sent")))))
ask("sync", lambda: opened("c", os.O_RDWR, lambda fd: (os.fsync(fd), os.fdatasync(fd))))
ask("sync a directory", lambda: opened("d", os.O_RDONLY, os.fsync))


def mapped(fd):
    os.ftruncate(fd, 8192)
    with mmap.mmap(fd, 8192) as memory:
        memory[0:3] = b"map"
        memory[4096:4099] = b"two"
        memory.flush()
        seen = os.pread(fd, 3, 0), os.pread(fd, 3, 4096)
    with mmap.mmap(fd, 8192, flags=mmap.MAP_PRIVATE) as memory:
        memory[0:3] = b"own"
    return seen, os.pread(fd, 3, 0)


ask("map", lambda: opened("m", os.O_CREAT | os.O_RDWR, mapped))

# Times.
put("t", b"1")


def changes(action, *fields):
    """Which times an action moves on."""
    os.utime("t", ns=(1000, 2000))
    before = os.stat("t")
    action()
    after = os.stat("t")
    return [field for field in fields if getattr(before, field) != getattr(after, field)]


ask("set times", lambda: (os.utime("t", ns=(123456789, 987654321)), os.stat("t").st_atime_ns, os.stat("t").st_mtime_ns))
ask("times of a write", changes, lambda: opened("t", os.O_WRONLY, lambda fd: os.write(fd, b"2")), "st_mtime_ns")
ask("times of a chmod", changes, lambda: os.chmod("t", 0o600), "st_mtime_ns", "st_ctime_ns")
ask("times of a cut", changes, lambda: os.truncate("t", 0), "st_mtime_ns")
ask("times of a write before it is closed", lambda: opened("t", os.O_WRONLY, lambda fd: (
    os.utime("t", ns=(1000, 2000)), os.write(fd, b"3"), os.fstat(fd).st_mtime_ns > 2000)))
ask("times that stay", lambda: opened("t", os.O_WRONLY, lambda fd: (os.write(fd, b"4"), os.utime(fd, ns=(1, 2)))) and os.stat("t").st_mtime_ns)
ask("times of a directory", lambda: (os.utime("d", ns=(1, 2)), put("d/new"), os.stat("d").st_mtime_ns > 2, os.utime("d", ns=(1, 2)), os.unlink("d/new"),
                                     os.stat("d").st_mtime_ns > 2)[2::3])
ask("times of a link itself", lambda: (os.utime("s", ns=(5, 6), follow_symlinks=False), os.lstat("s").st_mtime_ns))

# Owners and permissions.
put("p", b"secret", 0o600)
put("w", b"all", 0o666)
os.mkdir("closed")
os.chmod("closed", 0o700)
put("closed/x", b"", 0o666)
os.mkdir("sticky")
os.chmod("sticky", 0o1777)
put("sticky/root", b"", 0o666)
ask("read what others may not", as_nobody, get, "p")
ask("write what others may", as_nobody, lambda: opened("w", os.O_WRONLY, lambda fd: os.write(fd, b"x")))
ask("into a closed directory", as_nobody, os.stat, "closed/x")
ask("list a closed directory", as_nobody, os.listdir, "closed")
ask("change a mode of another", as_nobody, os.chmod, "w", 0o777)
ask("change an owner", as_nobody, os.chown, "w", NOBODY, NOBODY)
ask("set times of another", as_nobody, lambda: os.utime("w", ns=(1, 1)))
ask("touch what others may write", as_nobody, lambda: os.utime("w"))
ask("make in a sticky directory", as_nobody, put, "sticky/mine")
ask("remove there what is another's", as_nobody, os.unlink, "sticky/root")
ask("rename there what is another's", as_nobody, os.rename, "sticky/root", "sticky/x")
ask("remove there what is one's own", as_nobody, os.unlink, "sticky/mine")
ask("a set-id bit that a write drops", lambda: (os.chmod("w", 0o6777), as_nobody(lambda: opened("w", os.O_WRONLY, lambda fd: os.write(fd, b"x"))),
                                                oct(os.stat("w").st_mode)))
ask("a set-id bit that a new owner drops", lambda: (os.chmod("w", 0o6777), os.chown("w", 1, 1), oct(os.stat("w").st_mode)))
ask("a group that files inherit", lambda: (os.mkdir("g"), os.chown("g", 0, 77), os.chmod("g", 0o2777), put("g/x"), os.stat("g/x").st_gid,
                                           os.mkdir("g/d"), oct(os.stat("g/d").st_mode)))
ask("execute without a bit", as_nobody, lambda: os.execv("w" if os.chmod("w", 0o644) else "./w", ["w"]) if os.getuid() == 0 else os.execv("./p", ["p"]))
ask("execute what may not be read", lambda: (put("x-only", get("/bin/true"), 0o711), "done" if os.statvfs(".").f_flag & os.ST_NOEXEC
                                             else as_nobody(os.execv, "./x-only", ["true"]))[1])
ask("list what was opened before its mode", lambda: (os.mkdir("public"), os.chmod("public", 0o777), as_nobody(lambda: (
    os.mkdir("public/own", 0o755), opened("public/own", os.O_RDONLY, lambda fd: (os.chmod("public/own", 0), os.listdir(fd))))))[2])
ask("access of root", lambda: (os.access("p", os.R_OK | os.W_OK), os.access("p", os.X_OK)))

# Locks of an open file, which its last close gives up.
OFD_SETLK = 37
WRITES = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 10, 0)


def ofd_locked(fd):
    fcntl.fcntl(fd, OFD_SETLK, WRITES)
    return "locked"


ask("a lock of an open file", lambda: (put("ofd"), opened("ofd", os.O_RDWR, lambda fd: (ofd_locked(fd), opened("ofd", os.O_RDWR, ofd_locked)))))
ask("a lock of an open file that was closed", lambda: [time.sleep(0.2) or opened("ofd", os.O_RDWR, ofd_locked) for _ in range(3)])

# Held otherwise than by open, and removed.
def held_directory(remove):
    os.mkdir("held")
    fd = os.open("held", os.O_RDONLY | os.O_DIRECTORY)
    try:
        remove()
        os.fchmod(fd, 0o700), os.utime(fd, (5, 6)), os.fchown(fd, 1, 2), os.setxattr(fd, "trusted.a", b"1")
        of = os.fstat(fd)
        return of.st_nlink, os.listdir(fd), oct(of.st_mode), of.st_mtime, of.st_uid, os.getxattr(fd, "trusted.a")
    finally:
        os.close(fd)


def held(name, flags):
    fd = os.open(name, flags)
    try:
        os.unlink(name)
        of = os.fstat(fd)
        return of.st_nlink, of.st_mode, of.st_size, os.readlink("", dir_fd=fd) if stat.S_ISLNK(of.st_mode) else None
    finally:
        os.close(fd)


def held_lengths():
    """The lengths of files that are removed while the close of their writer may not have reached the file system."""
    lengths = set()
    for i in range(500):
        with open("hmany", "wb") as file:
            file.write(b"12345")
        lengths.add(held("hmany", os.O_PATH)[2])
    return lengths


def in_removed():
    """What can be done in a working directory that was removed."""
    child = os.fork()
    if child == 0:
        os.mkdir("gone")
        os.chdir("gone")
        os.rmdir("../gone")
        try:
            os.mkdir("new")
        except OSError as error:
            os.chdir("..")
            os._exit(error.errno + (100 if os.path.exists("f") else 0))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


ask("a directory that is open is removed", held_directory, lambda: os.rmdir("held"))
ask("a directory that is open is replaced", held_directory, lambda: (os.mkdir("over"), os.rename("over", "held")))
os.mkfifo("hfifo"), put("hpath", b"12345"), os.symlink("to", "hlink")
ask("a fifo that is open is removed", held, "hfifo", os.O_RDWR)
ask("a path that is held is removed", held, "hpath", os.O_PATH)
ask("paths that are held are removed behind their last close", held_lengths)
ask("a symbolic link that is held is removed", held, "hlink", os.O_PATH | os.O_NOFOLLOW)
ask("a working directory that is removed", in_removed)

# Other kinds.
ask("a fifo", lambda: (os.mkfifo("fifo"), stat.S_ISFIFO(os.stat("fifo").st_mode)))
ask("a device", lambda: (os.mknod("zero", stat.S_IFCHR | 0o600, os.makedev(1, 5)), os.stat("zero").st_rdev))
ask("a block device", lambda: (os.mknod("block", stat.S_IFBLK | 0o640, os.makedev(4095, 1048575)), os.stat("block").st_mode, os.stat("block").st_rdev))
ask("a device of nobody", as_nobody, os.mknod, "d/zero", stat.S_IFCHR | 0o600, os.makedev(1, 5))
ask("the same where he may write", lambda: (os.mkdir("open", 0o777), as_nobody(os.mknod, "open/zero", stat.S_IFCHR | 0o600, os.makedev(1, 5))))
ask("a whiteout of nobody", as_nobody, os.mknod, "open/whiteout", stat.S_IFCHR, 0)
ask("cut a device", os.truncate, "block", 0)
ask("rename with a whiteout", lambda: (put("open/old"), rename2("open/old", "open/new", 4), sorted(os.listdir("open")), os.stat("open/old").st_mode, os.stat("open/old").st_rdev))
ask("rename with a whiteout over another", lambda: (put("open/more"), rename2("open/more", "open/new", 4), os.stat("open/more").st_mode))
ask("rename with a whiteout, not over another", lambda: (put("open/even"), rename2("open/even", "open/new", 5)))
ask("exchange with a whiteout", rename2, "open/even", "open/new", 6)
ask("a device is a device under another name", lambda: (os.rename("block", "moved"), os.link("moved", "linked"), os.stat("linked").st_rdev, os.stat("linked").st_nlink))
ask("attributes", lambda: (os.setxattr("c", "trusted.a", b"1"), os.getxattr("c", "trusted.a"), os.listxattr("c")))
ask("an attribute that must be new", os.setxattr, "c", "trusted.a", b"2", os.XATTR_CREATE)
ask("an attribute that must be there", os.setxattr, "c", "trusted.b", b"2", os.XATTR_REPLACE)
ask("an attribute of 64 KiB", lambda: (os.setxattr("c", "trusted.long", bytes(range(256)) * 256), os.getxattr("c", "trusted.long") == bytes(range(256)) * 256))
ask("an attribute that is too long", os.setxattr, "c", "trusted.long", b"x" * 65537)
ask("many long names", lambda: (put("many"), [os.setxattr("many", b"trusted.%03d" % i + b"n" * 180, b"1") for i in range(100)][0], len(os.listxattr("many"))))
ask("no attribute", os.getxattr, "c", "trusted.none")
ask("remove no attribute", os.removexattr, "c", "trusted.none")
ask("names of no kind", os.setxattr, "c", "odd.a", b"1")
ask("name length", lambda: os.statvfs(".").f_namemax)
ask("many entries while they go", lambda: (os.mkdir("many"), [put(f"many/{i}") for i in range(300)], [os.unlink(e.path) for e in os.scandir("many")],
                                           os.listdir("many"))[3])
