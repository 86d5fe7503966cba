# A directory that is open and was removed was ESTALE.
# caches: none metadata full
import os

A, B = os.environ["A"], os.environ["B"]
for how in ("rmdir", "rename over", "rmdir by the other mount"):
    d = A + "/d"
    os.mkdir(d)
    fd = os.open(d, os.O_RDONLY | os.O_DIRECTORY)
    if how == "rmdir":
        os.rmdir(d)
    elif how == "rename over":
        os.mkdir(d + "2")
        os.rename(d + "2", d)
    else:
        os.rmdir(B + "/d")
    assert os.fstat(fd).st_nlink == 0 and os.listdir(fd) == [], how
    os.fchmod(fd, 0o700)
    os.utime(fd)
    os.setxattr(fd, "user.a", b"1")
    os.fchown(fd, 1, 1)
    assert (os.fstat(fd).st_uid, os.getxattr(fd, "user.a")) == (1, b"1"), how
    os.close(fd)
    if how == "rename over":
        os.rmdir(d)
