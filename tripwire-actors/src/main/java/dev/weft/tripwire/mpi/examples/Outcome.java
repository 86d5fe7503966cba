package dev.weft.tripwire.mpi.examples;

import java.util.Map;

/**
 * What a rank found; that of rank 0 counts.
 *
 * @param isVerified whether the result is right
 * @param values what was computed, in order, for people and machines to read
 */
public record Outcome(boolean isVerified, Map<String, Object> values) {}
