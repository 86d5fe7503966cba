/**
 * Synchronization with the atomics of the HCA (seed 004, abstract): mutual exclusion after Mellor-Crummey and Scott, wait queues and
 * counting semaphores, whose words lie at a home node.
 *
 * <p>Invariants: who waits is served in the order in which its atomic was executed at the home; while it waits nothing is sent; what a
 * dead client held or waited for goes to those behind it as soon as the home is told ({@link dev.weft.hca.sync.SyncHome#clientLost}).
 */
package dev.weft.hca.sync;
