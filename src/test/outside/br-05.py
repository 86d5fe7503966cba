# Extended attributes that could be set could not be listed: E2BIG from then on. A value of more than 8 KiB was refused.
import os

f = os.environ["A"] + "/x"
open(f, "w").close()
for i in range(100):
    os.setxattr(f, b"user.%03d" % i + b"n" * 180, b"1")
assert len(os.listxattr(f)) == 100, len(os.listxattr(f))
long = bytes(range(256)) * 200
os.setxattr(f, "user.long", long)
assert os.getxattr(os.environ["B"] + "/x", "user.long") == long
