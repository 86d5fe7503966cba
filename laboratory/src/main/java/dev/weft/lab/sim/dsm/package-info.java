/**
 * {@code weft sim --workload dsm}: threads of several nodes in shared memory, in virtual time, under faults (Kernel DSM, section 4). Begin with
 * {@link dev.weft.lab.sim.dsm.DsmWorkload}.
 *
 * <p>Invariants: the same seed and options give the same run in any JVM. Checkers see what threads see, and the rights that nodes report; they use no
 * code of the protocol.
 */
package dev.weft.lab.sim.dsm;
