package dev.weft.lab.sim.pvfs;

/**
 * One operation of a program, as drawn.
 *
 * @param file that all use, or -1 for the program's own, if it has one
 * @param offset of the first range, in bytes; of a lock that is waited for, nanoseconds at most, 0 for ever
 * @param bytes of each range; behind {@code offset} for TRUNCATE and CUT: the length
 * @param gap between two ranges
 * @param directory that a name is in; {@code other} and {@code newName} where a second one is needed; of a lock, the first piece and, in {@code other}, the
 *     last one
 * @param flags of a renaming, or of a lock
 * @param thinkNs before it
 */
record Step(OpKind kind, int file, long offset, int bytes, int gap, int directory, String name, int other, String newName, int flags, long thinkNs) {
  /** The same, behind another pause. */
  Step after(long ns) {
    return new Step(kind, file, offset, bytes, gap, directory, name, other, newName, flags, ns);
  }
}
