package dev.weft.tripwire.mpi;

/**
 * A message that was received, or could be.
 *
 * @param source rank of its sender
 * @param tag its tag
 * @param bytes its length
 */
public record MpiStatus(int source, int tag, int bytes) {}
