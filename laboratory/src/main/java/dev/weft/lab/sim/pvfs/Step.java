package dev.weft.lab.sim.pvfs;

/**
 * One drawn operation of a program.
 *
 * @param file index of a shared file, or -1 for the program's own, if it has one
 * @param offset offset of the first range in bytes; for a wait for a lock the longest wait in nanoseconds, 0 for ever
 * @param bytes bytes of each range; TRUNCATE and CUT set the length to {@code offset} plus this
 * @param gap bytes between two ranges
 * @param directory directory of a name; {@code other} and {@code newName} for a second one; for a lock the first piece, and the last one in
 *     {@code other}
 * @param flags flags of a rename, or of a lock
 * @param thinkNs pause before it
 */
record Step(OpKind kind, int file, long offset, int bytes, int gap, int directory, String name, int other, String newName, int flags, long thinkNs) {
  /** The same after another pause. */
  Step after(long ns) {
    return new Step(kind, file, offset, bytes, gap, directory, name, other, newName, flags, ns);
  }
}
