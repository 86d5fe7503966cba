package dev.weft.hca.registration;

import dev.weft.fabric.Check;

/**
 * What a {@link RegistrationStrategy} is bounded by. Its user says it, from a configuration of its own or not.
 *
 * @param strategy which
 * @param entriesMax registrations that are kept, 1 to 16,777,216. Too low: buffers that come back are registered again. Too high: idle
 *     memory stays pinned, and open to peers that know its key. STATIC refuses beyond it.
 * @param bytesMax their bytes, 4,096 to 2^50. Keep this and {@code batchBytesMax} together below the limit on locked memory (ulimit -l),
 *     else what is registered last is touched but not pinned.
 * @param batchMax FMRD: regions deregistered together, 2 to 65,536. Too low: the price of a call for each. Too high: a long pause for the
 *     one who fills the batch.
 * @param batchBytesMax FMRD: their bytes, 4,096 to 2^50. Too low: batches stay short. Too high: much memory stays pinned that nobody will
 *     find again.
 */
public record RegistrationSettings(Strategy strategy, int entriesMax, long bytesMax, int batchMax, long batchBytesMax) {
  private static final Check.Section LIMITS = new Check.Section("registration");

  /** The strategies there are. */
  public enum Strategy {
    /** Registered once, kept to the end. */
    STATIC,
    /** Registered for each use. */
    DYNAMIC,
    /** Kept after use, least recently used first out. */
    PIN_DOWN_CACHE,
    /** A pin-down cache with fast registration and batched deregistration. */
    FMRD,
    /** Registered without pinning, and kept. */
    UNPINNED
  }

  private static final long BYTES_MAX = 1L << 50;

  public RegistrationSettings {
    LIMITS.check("entriesMax", entriesMax, 1, 1 << 24);
    LIMITS.check("bytesMax", bytesMax, 4096, BYTES_MAX);
    LIMITS.check("batchMax", batchMax, 2, 1 << 16);
    LIMITS.check("batchBytesMax", batchBytesMax, 4096, BYTES_MAX);
  }

  /** Bounds that suit most: 1,024 registrations of 64 MiB, and batches of 32 regions or 16 MiB. */
  public static RegistrationSettings of(Strategy strategy) {
    return new RegistrationSettings(strategy, 1024, 64L << 20, 32, 16L << 20);
  }
}
