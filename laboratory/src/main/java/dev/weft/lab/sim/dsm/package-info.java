/**
 * {@code weft sim --workload dsm}: threads of several nodes in shared memory, in virtual time, under faults (seed 000 section 4).
 *
 * <p>Invariants: same seed and options, same run, in any JVM; the checkers see what threads see, and the rights that nodes say they have, and
 * use nothing of the protocol.
 */
package dev.weft.lab.sim.dsm;
