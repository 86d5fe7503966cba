/**
 * Locks, barriers and conditions (seed 000 section 4: simple actions without coherence information). Of each kind a half at the object's home and
 * a half at each node. Decisions only; used in the receive context.
 *
 * <p>Invariants: a lock is at one node at most; who waits is served in the order in which the home heard of it; a node that is lost keeps nobody
 * waiting.
 */
package dev.weft.dsm.sync;
