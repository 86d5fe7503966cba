package dev.weft.pvfs.manager;

/**
 * State of the manager.
 *
 * @param sessions clients, including those that have lost their connection
 * @param connected clients that are connected
 * @param commits of the store, each with all requests that had come together
 * @param refused connections, and invalid messages
 * @param isRecovering whether it still waits for clients of the previous manager
 * @param effects unfinished work for daemons: files to be removed or cut
 * @param effectsFailed failed attempts of such work
 * @param oldestFailingNs for how long the oldest failing work has failed, 0 if none fails
 * @param storeTrouble why the store cannot be written; empty if it can
 * @param storeFailures failed writes, and attempts to open the store again
 * @param storeReopened how often it was opened again
 * @param open files, once for each session that has them open
 * @param locks locked ranges
 * @param lockWaiters waiting locks
 * @param remembered inodes that clients may have cached, once for each client
 * @param awaitsClaims whether new locks wait for clients of the previous manager, which may claim theirs
 * @param locksClaimed locks from the previous manager that clients have claimed
 * @param claimsRefused claims that came too late
 * @param waitingAnswers answers that wait for daemons or for the caches of other clients
 * @param answersRepeated answers to changes that a previous manager made
 */
public record ManagerSnapshot(int sessions, int connected, long requests, long commits, long refused, boolean isRecovering, int effects,
    long effectsFailed, long oldestFailingNs, String storeTrouble, long storeFailures, long storeReopened, int open, int locks, int lockWaiters, int remembered,
    boolean awaitsClaims, long locksClaimed, long claimsRefused, int waitingAnswers, long answersRepeated) {}
