package dev.weft.pvfs.manager;

/**
 * State of the manager.
 *
 * @param sessions clients, those that have lost their connection included
 * @param connected of these
 * @param commits of the store, each with all that had come together
 * @param refused connections and messages that were none
 * @param isRecovering whether it still waits for clients of the manager before
 * @param effects on daemons that are not done: files to be removed or cut
 * @param effectsFailed attempts at these that failed
 * @param oldestFailingNs how long the daemons could not do the one that fails longest, 0 if none does
 * @param storeTrouble why the store cannot be written; empty if it can
 * @param storeFailures writes that failed, and attempts to open the store again
 * @param storeReopened how often it was opened again
 * @param open files, once for each session that has them open
 * @param locks ranges that are locked
 * @param lockWaiters locks that are waited for
 * @param remembered inodes that clients may remember, once for each client
 * @param awaitsClaims whether new locks wait for clients of the manager before, which may claim theirs
 * @param locksClaimed that clients had at the manager before, and have now
 * @param claimsRefused that came too late
 * @param waitingAnswers that wait for daemons, or until other clients have forgotten something
 * @param answersRepeated to changes that a manager before has done
 */
public record ManagerSnapshot(int sessions, int connected, long requests, long commits, long refused, boolean isRecovering, int effects,
    long effectsFailed, long oldestFailingNs, String storeTrouble, long storeFailures, long storeReopened, int open, int locks, int lockWaiters, int remembered,
    boolean awaitsClaims, long locksClaimed, long claimsRefused, int waitingAnswers, long answersRepeated) {}
