package dev.weft.lab.sim.pvfs;

/**
 * One operation of a program, as drawn.
 *
 * @param file that all use, or -1 for the program's own, if it has one
 * @param offset of the first range, in bytes
 * @param bytes of each range; behind {@code offset} for TRUNCATE and CUT: the length
 * @param gap between two ranges
 * @param directory that a name is in; {@code other} and {@code newName} where a second one is needed
 * @param flags of a renaming
 * @param thinkNs before it
 */
record Step(OpKind kind, int file, long offset, int bytes, int gap, int directory, String name, int other, String newName, int flags, long thinkNs) {}
