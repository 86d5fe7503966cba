#!/usr/bin/env python3
"""Counts together with others: python3 example.py DIRECTORY [PARTIES [TIMES]]. Start it PARTIES times; 'weft dsm serve' serves the directory."""

import sys

import weft_dsm


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    parties = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    times = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    try:
        with weft_dsm.Memory(sys.argv[1]) as memory:
            counts = memory.longs("counts", 16 * (parties + 1), minipage_bytes=128)  # Each party has a minipage of its own; all share the last one.
            shared = 16 * parties
            memory.barrier("begin", parties)
            with memory.lock("number"):
                me = counts[shared + 1]
                counts[shared + 1] += 1
            for _ in range(times):
                counts[16 * me] += 1
                with memory.lock("sum"):
                    counts[shared] += 1
            memory.barrier("end", parties)
            print("I am %d; counted %d, together %d" % (me, counts[16 * me], counts[shared]), flush=True)
            memory.barrier("seen", parties)
    except weft_dsm.DsmError as refused:
        sys.exit("refused: %s" % refused)


if __name__ == "__main__":
    main()
