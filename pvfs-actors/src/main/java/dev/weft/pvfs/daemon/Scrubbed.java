package dev.weft.pvfs.daemon;

/**
 * Progress of a scrub.
 *
 * @param bad number of bad blocks
 * @param next offset to continue from; 0 at the end of the object
 */
record Scrubbed(long bad, long next) {}
