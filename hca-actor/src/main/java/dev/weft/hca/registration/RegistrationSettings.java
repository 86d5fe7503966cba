package dev.weft.hca.registration;

import dev.weft.fabric.Check;

/**
 * The limits of a {@link RegistrationStrategy}. The user of the strategy chooses them.
 *
 * @param strategy the strategy
 * @param entriesMax registrations that are kept, 1 to 16,777,216. Too low: buffers that are used again are registered again. Too high: idle
 *     memory stays pinned, and open to peers that know its key. STATIC rejects registrations beyond it.
 * @param bytesMax bytes of the registrations that are kept, 4,096 to 2^50. Keep the sum of this and {@code batchBytesMax} below the limit on locked
 *     memory (ulimit -l); otherwise the last registrations are touched but not pinned.
 * @param batchMax FMRD: regions deregistered together, 2 to 65,536. Too low: almost one call for each region. Too high: a long pause for the
 *     caller that fills the batch.
 * @param batchBytesMax FMRD: bytes deregistered together, 4,096 to 2^50. Too low: batches stay short. Too high: much unused memory stays pinned.
 */
public record RegistrationSettings(Strategy strategy, int entriesMax, long bytesMax, int batchMax, long batchBytesMax) {
  private static final Check.Section LIMITS = new Check.Section("registration");

  /** The strategies. */
  public enum Strategy {
    /** Registers each buffer once and keeps it to the end. */
    STATIC,
    /** Registers for each use. */
    DYNAMIC,
    /** Keeps registrations after use; evicts the least recently used first. */
    PIN_DOWN_CACHE,
    /** A pin-down cache with fast registration and batched deregistration. */
    FMRD,
    /** Registers without pinning and keeps the registrations. */
    UNPINNED
  }

  private static final long BYTES_MAX = 1L << 50;

  public RegistrationSettings {
    LIMITS.check("entriesMax", entriesMax, 1, 1 << 24);
    LIMITS.check("bytesMax", bytesMax, 4096, BYTES_MAX);
    LIMITS.check("batchMax", batchMax, 2, 1 << 16);
    LIMITS.check("batchBytesMax", batchBytesMax, 4096, BYTES_MAX);
  }

  /** Returns limits for general use: 1,024 registrations of together 64 MiB, and batches of 32 regions or 16 MiB. */
  public static RegistrationSettings of(Strategy strategy) {
    return new RegistrationSettings(strategy, 1024, 64L << 20, 32, 16L << 20);
  }
}
