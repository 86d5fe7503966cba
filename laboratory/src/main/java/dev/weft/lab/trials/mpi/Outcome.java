package dev.weft.lab.trials.mpi;

import java.util.Map;

/**
 * The result of a rank; that of rank 0 counts.
 *
 * @param isVerified whether the result is correct
 * @param values computed values, in order, for users and programs
 */
public record Outcome(boolean isVerified, Map<String, Object> values) {}
