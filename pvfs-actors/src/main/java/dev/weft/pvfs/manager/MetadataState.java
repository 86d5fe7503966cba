package dev.weft.pvfs.manager;

/**
 * How the store and what daemons have to do are.
 *
 * @param trouble why the store cannot be written; empty if it can
 * @param failures writes that failed, and attempts to open the store again
 * @param reopened how often it was opened again
 * @param effects on daemons that are not done
 * @param ending sessions whose end waits for the store
 * @param open files, once for each session that has them open
 */
record MetadataState(String trouble, long failures, long reopened, int effects, int ending, int open) {}
