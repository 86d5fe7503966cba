/**
 * Checkers of histories of shared memory (Kernel DSM): whether the operations on each word are linearizable
 * ({@link dev.weft.lab.trials.dsm.check.Linearizability}), and whether a small history over several words is sequentially consistent
 * ({@link dev.weft.lab.trials.dsm.check.SequentialConsistency}). They do not depend on the implementation: they only read histories.
 *
 * <p>Invariants: a verdict HOLDS or VIOLATED is true for any limits; if a limit on the work is reached, the verdict is UNDECIDED. The verdict depends
 * on the history only, so a history can be written to a file and checked again. No class is safe for several threads. Each recording thread has a
 * list of its own, to be added to a {@link dev.weft.lab.trials.dsm.check.History} afterwards.
 */
package dev.weft.lab.trials.dsm.check;
