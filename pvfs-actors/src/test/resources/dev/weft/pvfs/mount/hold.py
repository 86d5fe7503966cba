"""Locks 20 bytes of a file from byte 10 on, says so by making a file, and unlocks when there is another one; without these two, tries it and ends."""

import fcntl
import os
import sys
import time

with open(sys.argv[1], "r+") as file:
    if len(sys.argv) == 2:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 20, 10)
    else:
        fcntl.lockf(file, fcntl.LOCK_EX, 20, 10)
        open(sys.argv[2], "w").close()
        while not os.path.exists(sys.argv[3]):
            time.sleep(0.02)
        fcntl.lockf(file, fcntl.LOCK_UN, 20, 10)
