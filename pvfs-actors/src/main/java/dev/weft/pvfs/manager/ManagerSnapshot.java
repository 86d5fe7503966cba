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
 */
public record ManagerSnapshot(int sessions, int connected, long requests, long commits, long refused, boolean isRecovering, int effects,
    long effectsFailed, long oldestFailingNs, String storeTrouble, long storeFailures, long storeReopened) {}
