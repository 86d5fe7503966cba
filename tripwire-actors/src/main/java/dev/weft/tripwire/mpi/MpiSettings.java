package dev.weft.tripwire.mpi;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.util.concurrent.TimeUnit;

/**
 * Settings of message passing ({@code weft.tripwire.mpi}); {@code reference.conf} explains each key.
 *
 * @param ranksMax maximum number of ranks of a job
 * @param ringBytes size of the ring for each other rank
 * @param eagerMaxBytes longest message that is sent without an announcement
 * @param unexpectedMaxBytes bytes of unexpected messages of one peer
 * @param requestsMax maximum number of requests of a rank
 * @param spinNs how long a waiting rank polls before it sleeps
 * @param repeatNs after this time, a waiting rank repeats its last words
 * @param startTimeoutNs how long a rank waits for the others
 * @param port port of the endpoint
 */
public record MpiSettings(int ranksMax, int ringBytes, int eagerMaxBytes, int unexpectedMaxBytes, int requestsMax, long spinNs,
    long repeatNs, long startTimeoutNs, int port) {
  private static final Check.Section LIMITS = new Check.Section("weft.tripwire.mpi");

  public MpiSettings {
    LIMITS.check("ranks-max", ranksMax, 1, 1024);
    LIMITS.check("ring", ringBytes, 1024, 1 << 26);
    LIMITS.check("eager-max", eagerMaxBytes, 0, ringBytes / 4 - Ring.HEAD);
    LIMITS.check("unexpected-max", unexpectedMaxBytes, 0, 1 << 30);
    LIMITS.check("requests-max", requestsMax, 1, 1 << 20);
    LIMITS.check("spin (in ns)", spinNs, 0, TimeUnit.SECONDS.toNanos(10));
    LIMITS.check("repeat (in ns)", repeatNs, 1_000, TimeUnit.MINUTES.toNanos(10));
    LIMITS.check("start-timeout (in ns)", startTimeoutNs, 1_000_000, TimeUnit.HOURS.toNanos(1));
    LIMITS.check("port", port, 1, 65_535);
    if (Integer.bitCount(ringBytes) != 1) {
      throw new IllegalArgumentException("weft.tripwire.mpi.ring is " + ringBytes + ", must be a power of two");
    }
  }

  /** Reads {@code weft.tripwire.mpi} of {@code config}. */
  public static MpiSettings from(Config config) {
    Config c = config.getConfig("weft.tripwire.mpi");
    return new MpiSettings(
        c.getInt("ranks-max"),
        Check.bytes(c, "ring"),
        Check.bytes(c, "eager-max"),
        Check.bytes(c, "unexpected-max"),
        c.getInt("requests-max"),
        c.getDuration("spin", TimeUnit.NANOSECONDS),
        c.getDuration("repeat", TimeUnit.NANOSECONDS),
        c.getDuration("start-timeout", TimeUnit.NANOSECONDS),
        c.getInt("port"));
  }
}
