"""What a file system owes to POSIX and Linux, asked of the directory that is given. Prints a line for each case that fails, and how many held."""
import ctypes
import errno
import fcntl
import mmap
import os
import signal
import stat
import struct
import sys
import traceback

ROOT = os.path.abspath(sys.argv[1])
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long]
LIBC.renameat2.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
AT_FDCWD = -100
NOBODY = 65534
CASES = []


def case(function):
    CASES.append(function)
    return function


def refused(expected, function, *arguments):
    try:
        result = function(*arguments)
    except OSError as error:
        assert error.errno == expected, f"errno {errno.errorcode[error.errno]} instead of {errno.errorcode[expected]}"
    else:
        raise AssertionError(f"{result!r} instead of {errno.errorcode[expected]}")


def checked(result):
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def renamed(old, new, flags):
    return checked(LIBC.renameat2(AT_FDCWD, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags))


def fallocate(fd, mode, offset, length):
    return checked(LIBC.fallocate(fd, mode, offset, length))


def put(name, content=b"", mode=0o644):
    with open(name, "wb") as file:
        file.write(content)
    os.chmod(name, mode)
    return name


def get(name):
    with open(name, "rb") as file:
        return file.read()


def shown(value):
    text = repr(value)
    return text if len(text) < 200 else f"{text[:100]}...{text[-60:]} of {len(value)}"


def same(actual, expected):
    assert actual == expected, f"{shown(actual)} instead of {shown(expected)}"


def in_child(function, expected=0):
    """Runs a function in a process of its own, which ends with 0 if it returns."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            function()
            status = 0
        except BaseException:
            traceback.print_exc()
        os._exit(status)
    return child


def joined(child):
    same(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


@case
def hard_links_share_an_inode():
    put("a", b"one")
    os.link("a", "b")
    same(os.stat("a").st_nlink, 2)
    same(os.stat("a").st_ino, os.stat("b").st_ino)
    with open("b", "ab") as file:
        file.write(b"two")
    same(get("a"), b"onetwo")
    os.unlink("a")
    same(os.stat("b").st_nlink, 1)
    refused(errno.EEXIST, os.link, "b", "b")
    os.mkdir("d")
    refused(errno.EPERM, os.link, "d", "e")


@case
def a_file_outlives_its_name():
    put("a", b"still")
    fd = os.open("a", os.O_RDWR)
    os.unlink("a")
    refused(errno.ENOENT, os.stat, "a")
    same(os.pread(fd, 10, 0), b"still")
    same(os.pwrite(fd, b"here", 0), 4)
    same(os.fstat(fd).st_nlink, 0)
    same(os.pread(fd, 10, 0), b"herel")
    os.close(fd)


@case
def rename_replaces_and_refuses():
    put("a", b"a")
    put("b", b"b")
    os.rename("a", "b")
    same(get("b"), b"a")
    refused(errno.ENOENT, os.stat, "a")
    os.makedirs("d/e")
    os.mkdir("f")
    refused(errno.ENOTEMPTY, os.rename, "f", "d")
    refused(errno.ENOTDIR, os.rename, "f", "b")
    refused(errno.EISDIR, os.rename, "b", "f")
    refused(errno.EINVAL, os.rename, "d", "d/e/g")
    os.rename("d", "f")
    same(os.listdir("f"), ["e"])
    same(os.stat(".").st_nlink, 3)
    os.link("b", "c")
    os.rename("b", "c")  # The same inode: nothing is done.
    same(sorted(os.listdir(".")), ["b", "c", "f"])


@case
def rename_has_flags():
    put("a", b"a")
    put("b", b"b")
    refused(errno.EEXIST, renamed, "a", "b", 1)
    renamed("a", "c", 1)
    renamed("b", "c", 2)
    same((get("b"), get("c")), (b"a", b"b"))
    refused(errno.ENOENT, renamed, "b", "none", 2)
    os.makedirs("d/e")
    renamed("d/e", "b", 2)
    assert stat.S_ISDIR(os.stat("b").st_mode) and get("d/e") == b"a"
    same((os.stat("d").st_nlink, os.stat(".").st_nlink), (2, 4))


@case
def holes_are_found_and_read_as_zeros():
    fd = os.open("a", os.O_RDWR | os.O_CREAT)
    os.pwrite(fd, b"x" * 65536, 1 << 20)
    os.ftruncate(fd, 2 << 20)
    same(os.lseek(fd, 0, os.SEEK_DATA), 1 << 20)
    same(os.lseek(fd, 0, os.SEEK_HOLE), 0)
    same(os.lseek(fd, 1 << 20, os.SEEK_HOLE), (1 << 20) + 65536)
    refused(errno.ENXIO, os.lseek, fd, (1 << 20) + 65536, os.SEEK_DATA)
    refused(errno.ENXIO, os.lseek, fd, 2 << 20, os.SEEK_HOLE)
    same(os.pread(fd, 8, (1 << 20) - 4), b"\0\0\0\0xxxx")
    same(os.fstat(fd).st_blocks, 128)
    os.close(fd)


@case
def fallocate_reserves_and_punches():
    fd = os.open("a", os.O_RDWR | os.O_CREAT)
    os.posix_fallocate(fd, 0, 300000)
    same(os.fstat(fd).st_size, 300000)
    os.pwrite(fd, b"y" * 300000, 0)
    fallocate(fd, 3, 65536, 65536)
    same(os.pread(fd, 65538, 65535), b"y" + b"\0" * 65536 + b"y")
    same(os.lseek(fd, 0, os.SEEK_HOLE), 65536)
    fallocate(fd, 3, 10, 20)
    same(os.pread(fd, 22, 9), b"y" + b"\0" * 20 + b"y")
    fallocate(fd, 1, 300000, 65536)
    same(os.fstat(fd).st_size, 300000)
    refused(errno.EINVAL, fallocate, fd, 0, 0, 0)
    os.close(fd)


@case
def truncation_leaves_zeros():
    fd = os.open("a", os.O_RDWR | os.O_CREAT)
    os.write(fd, b"z" * 100000)
    os.ftruncate(fd, 10)
    os.ftruncate(fd, 200000)
    same(os.pread(fd, 200001, 0), b"z" * 10 + b"\0" * 199990)
    os.close(fd)
    os.truncate("a", 5)
    same(get("a"), b"zzzzz")
    os.close(os.open("a", os.O_WRONLY | os.O_TRUNC))
    same(get("a"), b"")


@case
def offsets_go_far():
    fd = os.open("a", os.O_RDWR | os.O_CREAT)
    far = (1 << 62) + 12345
    same(os.pwrite(fd, b"far", far), 3)
    same(os.fstat(fd).st_size, far + 3)
    same(os.pread(fd, 10, far - 2), b"\0\0far")
    os.fsync(fd)  # With a cache that writes back, Linux asks for holes before it has written.
    same(os.lseek(fd, 0, os.SEEK_DATA), far // 65536 * 65536 if os.fstat(fd).st_blksize == 65536 else far // 4096 * 4096)
    refused(errno.EINVAL, os.pread, fd, 1, -1)
    os.close(fd)


@case
def appends_do_not_overwrite():
    one = os.open("a", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    other = os.open("a", os.O_WRONLY | os.O_APPEND)
    for _ in range(100):
        os.write(one, b"1")
        os.write(other, b"22")
    os.close(one)
    os.close(other)
    same(get("a"), b"122" * 100)


@case
def copies_stay_inside():
    put("a", bytes(range(256)) * 1000)
    source = os.open("a", os.O_RDONLY)
    target = os.open("b", os.O_RDWR | os.O_CREAT)
    done = 0
    while done < 256000 - 100:
        part = os.copy_file_range(source, target, 256000, 100 + done, 50 + done)
        assert part > 0
        done += part
    same(os.pread(target, 300000, 0), b"\0" * 50 + get("a")[100:])
    same(os.copy_file_range(source, target, 10, 256000, 0), 0)
    os.close(source)
    os.close(target)


@case
def creation_is_exclusive():
    os.close(os.open("a", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o640))
    same(stat.S_IMODE(os.stat("a").st_mode), 0o640)
    refused(errno.EEXIST, os.open, "a", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    refused(errno.ENOENT, os.open, "none", os.O_RDONLY)
    refused(errno.ENOTDIR, os.open, "a/b", os.O_RDONLY)
    before = os.umask(0o077)
    os.mkdir("d")
    os.umask(before)
    same(stat.S_IMODE(os.stat("d").st_mode), 0o700)
    refused(errno.EISDIR, os.open, "d", os.O_WRONLY)


@case
def directories_count_their_links():
    os.makedirs("d/e/f")
    same((os.stat("d").st_nlink, os.stat("d/e").st_nlink), (3, 3))
    refused(errno.ENOTEMPTY, os.rmdir, "d/e")
    refused(errno.EISDIR, os.unlink, "d/e/f")
    os.rmdir("d/e/f")
    os.rmdir("d/e")
    same(os.stat("d").st_nlink, 2)
    put("d/x")
    refused(errno.ENOTDIR, os.rmdir, "d/x")


@case
def large_directories_are_listed_once():
    os.mkdir("d")
    wanted = {f"entry-{i:05}-{'n' * (i % 50)}" for i in range(3000)}
    for name in wanted:
        os.close(os.open(f"d/{name}", os.O_CREAT | os.O_WRONLY))
    listed = os.listdir("d")
    same((len(listed), set(listed)), (3000, wanted))
    removed = 0
    with os.scandir("d") as entries:
        for entry in entries:
            assert entry.is_file() and entry.stat().st_size == 0
            os.unlink(entry.path)
            removed += 1
    same((removed, os.listdir("d")), (3000, []))


@case
def names_are_bytes():
    root = os.fsencode(os.getcwd())
    names = [bytes([letter]) * 3 for letter in range(1, 256) if letter != ord("/")]
    names += [b"n" * 255, "zwölf Boxkämpfer".encode(), b" ", b"-rf", b"..."]
    for name in names:
        os.close(os.open(root + b"/" + name, os.O_CREAT | os.O_WRONLY))
        os.stat(root + b"/" + name)
    same(sorted(os.listdir(root)), sorted(set(names)))
    refused(errno.ENAMETOOLONG, os.stat, root + b"/" + b"n" * 256)
    refused(errno.ENAMETOOLONG, os.mkdir, root + b"/" + b"n" * 256)


@case
def symbolic_links_hold_what_they_were_given():
    os.symlink("nowhere/" + "t" * 4000, "a")
    same(os.readlink("a"), "nowhere/" + "t" * 4000)
    same(os.lstat("a").st_size, 4008)
    refused(errno.EEXIST, os.symlink, "x", "a")
    put("b", b"b")
    os.symlink("b", "c")
    same(get("c"), b"b")
    os.symlink("e", "d")
    os.symlink("d", "e")
    refused(errno.ELOOP, os.stat, "d")
    refused(errno.EINVAL, os.readlink, "b")


@case
def special_files_keep_their_kind():
    os.mkfifo("p", 0o600)
    assert stat.S_ISFIFO(os.stat("p").st_mode)
    os.mknod("c", stat.S_IFCHR | 0o600, os.makedev(1, 3))
    same((stat.S_ISCHR(os.stat("c").st_mode), os.stat("c").st_rdev), (True, os.makedev(1, 3)))
    child = in_child(lambda: put("p", b"through"))
    same(get("p"), b"through")
    joined(child)


@case
def times_are_kept_to_the_nanosecond():
    put("a")
    for times in ((1, 2), (1_700_000_000_123_456_789, 1_600_000_000_987_654_321), (-1_500_000_000, -1)):
        os.utime("a", ns=times)
        same((os.stat("a").st_atime_ns, os.stat("a").st_mtime_ns), times)
    before = os.stat("a").st_ctime_ns
    os.utime("a")
    assert os.stat("a").st_mtime_ns > 1_700_000_000_000_000_000 and os.stat("a").st_ctime_ns >= before
    os.utime("a", ns=(5, 5))
    with open("a", "ab") as file:
        file.write(b"x")
    assert os.stat("a").st_mtime_ns > 5


@case
def attributes_have_names():
    put("a")
    os.setxattr("a", "user.one", b"1")
    os.setxattr("a", "user.large", bytes(60000) if os.environ.get("LARGE") else bytes(1000))
    os.setxattr("a", "user.empty", b"")
    same(sorted(os.listxattr("a")), ["user.empty", "user.large", "user.one"])
    same((os.getxattr("a", "user.one"), os.getxattr("a", "user.empty")), (b"1", b""))
    refused(errno.EEXIST, os.setxattr, "a", "user.one", b"2", os.XATTR_CREATE)
    refused(errno.ENODATA, os.setxattr, "a", "user.two", b"2", os.XATTR_REPLACE)
    os.setxattr("a", "user.one", b"new", os.XATTR_REPLACE)
    same(os.getxattr("a", "user.one"), b"new")
    os.removexattr("a", "user.one")
    refused(errno.ENODATA, os.getxattr, "a", "user.one")
    refused(errno.ENODATA, os.removexattr, "a", "user.one")


@case
def owners_and_modes_change():
    put("a", b"x", 0o6755)
    os.chown("a", 1, 2)
    info = os.stat("a")
    same((info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)), (1, 2, 0o755))
    os.chmod("a", 0o1234)
    same(stat.S_IMODE(os.stat("a").st_mode), 0o1234)
    os.mkdir("d")
    os.chown("d", -1, 77)
    os.chmod("d", 0o2775)
    put("d/x")
    os.mkdir("d/y")
    same((os.stat("d/x").st_gid, os.stat("d/y").st_gid, os.stat("d/y").st_mode & 0o2000), (77, 77, 0o2000))


@case
def others_lose_privilege_when_they_write():
    for name in ("write", "truncate", "open"):
        put(name, b"x", 0o6777)
    os.chmod(".", 0o777)

    def write():
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        fd = os.open("write", os.O_WRONLY)
        os.write(fd, b"y")
        os.close(fd)
        os.truncate("truncate", 0)
        os.close(os.open("open", os.O_WRONLY | os.O_TRUNC))
        refused(errno.EPERM, os.chmod, "write", 0o777)

    joined(in_child(write))
    same([stat.S_IMODE(os.stat(name).st_mode) for name in ("write", "truncate", "open")], [0o777] * 3)


@case
def permissions_are_checked():
    put("a", b"secret", 0o600)
    os.mkdir("d", 0o700)
    put("d/x")

    def look():
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        refused(errno.EACCES, os.open, "a", os.O_RDONLY)
        refused(errno.EACCES, os.stat, "d/x")
        same((os.access("a", os.R_OK), os.access("a", os.F_OK)), (False, True))

    joined(in_child(look))


@case
def what_is_made_read_only_is_not_cut():
    os.mkdir("d")
    os.chmod("d", 0o777)

    def make():
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        os.close(os.open("d/new", os.O_RDONLY | os.O_CREAT | os.O_TRUNC, 0o444))
        refused(errno.EACCES, os.open, "d/new", os.O_RDONLY | os.O_CREAT | os.O_TRUNC, 0o444)

    joined(in_child(make))
    same(stat.S_IMODE(os.stat("d/new").st_mode), 0o444)


@case
def mappings_are_shared():
    put("a", b"m" * 10000)
    with open("a", "r+b") as file:
        with mmap.mmap(file.fileno(), 0) as view:
            same(view[5000:5003], b"mmm")
            view[4095:4097] = b"XY"
            view.flush()
        same(os.pread(file.fileno(), 4, 4094), b"mXYm")
    same(get("a")[4094:4098], b"mXYm")


@case
def sync_is_answered():
    fd = os.open("a", os.O_RDWR | os.O_CREAT)
    os.write(fd, b"s")
    os.fsync(fd)
    os.fdatasync(fd)
    os.close(fd)
    fd = os.open(".", os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


@case
def figures_make_sense():
    info = os.statvfs(".")
    assert info.f_blocks > 0 and 0 <= info.f_bavail <= info.f_bfree <= info.f_blocks and info.f_namemax == 255


def lock(fd, kind, start, length, waits=False):
    """fcntl(2) through its struct flock: types F_RDLCK 0, F_WRLCK 1, F_UNLCK 2."""
    fcntl.fcntl(fd, fcntl.F_SETLKW if waits else fcntl.F_SETLK, struct.pack("hhllhh", kind, 0, start, length, 0, 0))


def holder(fd, kind, start, length):
    kind, _, start, length, pid, _ = struct.unpack("hhllii", fcntl.fcntl(fd, fcntl.F_GETLK, struct.pack("hhllii", kind, 0, start, length, 0, 0)))
    return kind, start, length, pid


@case
def ranges_are_locked():
    fd = os.open("a", os.O_RDWR | os.O_CREAT)
    lock(fd, 1, 100, 100)
    me = os.getpid()

    def other():
        mine = os.open("a", os.O_RDWR)
        refused(errno.EAGAIN, lock, mine, 1, 150, 10)
        refused(errno.EAGAIN, lock, mine, 0, 199, 0)
        same(holder(mine, 1, 0, 0), (1, 100, 100, me))
        lock(mine, 1, 0, 100)
        lock(mine, 1, 200, 0)
        same(holder(mine, 1, 0, 50)[0], 2)

    joined(in_child(other))
    lock(fd, 2, 120, 10)  # Unlocks the middle.

    def third():
        mine = os.open("a", os.O_RDWR)
        lock(mine, 1, 120, 10)
        refused(errno.EAGAIN, lock, mine, 1, 119, 1)
        refused(errno.EAGAIN, lock, mine, 1, 130, 1)

    joined(in_child(third))
    os.close(fd)
    joined(in_child(lambda: lock(os.open("a", os.O_RDWR), 1, 0, 0)))


@case
def locks_are_waited_for():
    fd = os.open("a", os.O_RDWR | os.O_CREAT)
    lock(fd, 1, 0, 10)
    read, write = os.pipe()

    def other():
        mine = os.open("a", os.O_RDWR)
        os.write(write, b"!")
        lock(mine, 1, 5, 10, True)
        same(os.pread(mine, 4, 0), b"done")

    child = in_child(other)
    os.read(read, 1)
    os.pwrite(fd, b"done", 0)
    lock(fd, 2, 0, 10)
    joined(child)
    os.close(fd)


class Alarm(Exception):
    pass


def interrupted(function, *arguments):
    def ring(number, frame):
        raise Alarm()

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        function(*arguments)
    except Alarm:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return False


@case
def waiting_locks_are_interrupted():
    fd = os.open("a", os.O_RDWR | os.O_CREAT)
    lock(fd, 1, 0, 0)
    fcntl.flock(fd, fcntl.LOCK_EX)

    def other():
        mine = os.open("a", os.O_RDWR)
        assert interrupted(lock, mine, 1, 0, 0, True)
        assert interrupted(fcntl.flock, mine, fcntl.LOCK_SH)

    joined(in_child(other))
    os.close(fd)
    fd = os.open("a", os.O_RDWR)
    fcntl.flock(fd, fcntl.LOCK_EX)
    lock(fd, 1, 0, 0)
    os.close(fd)


@case
def deadlocks_are_seen():
    fd = os.open("a", os.O_RDWR | os.O_CREAT)
    lock(fd, 1, 0, 1)
    read, write = os.pipe()

    def other():
        mine = os.open("a", os.O_RDWR)
        lock(mine, 1, 1, 1)
        os.write(write, b"!")
        lock(mine, 1, 0, 1, True)

    child = in_child(other)
    os.read(read, 1)
    while holder(fd, 1, 1, 1)[0] == 2:
        pass
    signal.sigtimedwait([signal.SIGUSR1], 0.2)  # So that it waits.
    refused(errno.EDEADLK, lock, fd, 1, 1, 1, True)
    os.close(fd)
    joined(child)


@case
def whole_files_are_locked():
    one = os.open("a", os.O_RDWR | os.O_CREAT)
    other = os.open("a", os.O_RDWR)
    fcntl.flock(one, fcntl.LOCK_SH)
    fcntl.flock(other, fcntl.LOCK_SH)
    refused(errno.EAGAIN, fcntl.flock, one, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(other, fcntl.LOCK_UN)
    fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
    refused(errno.EAGAIN, fcntl.flock, other, fcntl.LOCK_SH | fcntl.LOCK_NB)
    lock(other, 1, 0, 0)  # They do not see each other.
    os.close(one)
    fcntl.flock(other, fcntl.LOCK_EX)  # Waits: Linux tells a mounted file system of the close when it has returned.
    os.close(other)


@case
def unknown_requests_are_refused():
    put("a")
    fd = os.open("a", os.O_RDWR)
    refused(errno.ENOTTY, fcntl.ioctl, fd, 0x1234, 0)
    os.close(fd)


def main():
    only = sys.argv[2:]
    os.umask(0o022)
    held = 0
    for function in CASES:
        if only and function.__name__ not in only:
            continue
        folder = os.path.join(ROOT, function.__name__)
        os.mkdir(folder)
        os.chdir(folder)
        try:
            function()
            held += 1
        except BaseException as problem:
            print(f"{function.__name__}: {problem!r}", flush=True)
            traceback.print_exc()
    os.chdir("/")
    print(f"{held} cases held")
    sys.exit(0 if held == len(only or CASES) else 1)


main()
