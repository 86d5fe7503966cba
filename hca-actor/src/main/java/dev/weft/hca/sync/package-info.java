/**
 * Synchronization with the atomics of the HCA (NetVM, abstract): locks after Mellor-Crummey and Scott, wait queues and counting semaphores. Their words
 * are in the memory of a home node. Begin with {@link dev.weft.hca.sync.SyncService} and {@link dev.weft.hca.sync.SyncMember}.
 *
 * <p>Invariants: clients are served in the order in which the home executed their atomics; a waiting client sends nothing; when the home learns that a
 * client is dead ({@link dev.weft.hca.sync.SyncHome#clientLost}), the objects that the client held or waited for go to the next clients.
 */
package dev.weft.hca.sync;
