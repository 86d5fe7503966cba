package dev.weft.tripwire.mpi;

/**
 * A message that was received, or can be received.
 *
 * @param source rank of its sender
 * @param tag its tag
 * @param bytes its length
 */
public record MpiStatus(int source, int tag, int bytes) {}
