package dev.weft.pvfs.manager;

/**
 * State of the manager.
 *
 * @param sessions clients, those that have lost their connection included
 * @param connected of these
 * @param commits of the store, each with all that had come together
 * @param refused connections and messages that were none
 */
public record ManagerSnapshot(int sessions, int connected, long requests, long commits, long refused) {}
