/**
 * Locks, barriers and conditions (Kernel DSM, section 4: simple actions without coherence information). Each has a half at its home
 * ({@link dev.weft.dsm.sync.LockHome}); locks also have a half at each node ({@link dev.weft.dsm.sync.LockNode}). The classes only decide; they are
 * used in the receive context.
 *
 * <p>Invariants: a lock is at one node at most. Nodes are served in the order in which the home received their requests. A lost node blocks no
 * waiting thread.
 */
package dev.weft.dsm.sync;
