/**
 * Checkers of what programs saw of shared memory (seed 000): whether the operations on each word are linearizable, and whether a small history over
 * several words is sequentially consistent. They know nothing of the implementation: they read histories.
 *
 * <p>Invariants: an answer HOLDS or VIOLATED is true whatever the limits are; where a limit on the work is reached the answer is UNDECIDED. What
 * is checked depends on the history only, so that it can be written to a file and checked again. Nothing here is safe for several threads;
 * threads that record have a list each, which are added to a {@link dev.weft.dsm.check.History} afterwards.
 */
package dev.weft.dsm.check;
