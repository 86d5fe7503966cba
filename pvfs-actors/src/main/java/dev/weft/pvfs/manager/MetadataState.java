package dev.weft.pvfs.manager;

/**
 * State of the store and of the daemons' work.
 *
 * @param trouble why the store cannot be written; empty if it can
 * @param failures failed writes, and attempts to open the store again
 * @param reopened how often it was opened again
 * @param effects unfinished work for daemons
 * @param ending sessions whose end waits for the store
 * @param open files, once for each session that has them open
 */
record MetadataState(String trouble, long failures, long reopened, int effects, int ending, int open) {}
