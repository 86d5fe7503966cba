package dev.weft.lab.hosts;

import dev.weft.fabric.time.Clock;
import dev.weft.pager.server.CopyCharge;

/** A server's one processor, which copies one thing after another. */
public final class CopyingProcessor implements CopyCharge {
  private final Clock clock;
  private final long readBytesPerSecond;
  private final long writeBytesPerSecond;
  private long freeNs;

  /**
   * A processor that is free.
   *
   * @param readBytesPerSecond how fast it copies out of a store, more than 0
   * @param writeBytesPerSecond how fast into one, more than 0
   */
  public CopyingProcessor(Clock clock, long readBytesPerSecond, long writeBytesPerSecond) {
    if (readBytesPerSecond <= 0 || writeBytesPerSecond <= 0) {
      throw new IllegalArgumentException("rates are " + readBytesPerSecond + " and " + writeBytesPerSecond + ", must be more than 0");
    }
    this.clock = clock;
    this.readBytesPerSecond = readBytesPerSecond;
    this.writeBytesPerSecond = writeBytesPerSecond;
  }

  @Override
  public long madeAtNs(boolean isWrite, long bytes) {
    long nowNs = clock.nowNs();
    long startNs = freeNs - nowNs > 0 ? freeNs : nowNs;
    freeNs = startNs + bytes * 1_000_000_000L / (isWrite ? writeBytesPerSecond : readBytesPerSecond);
    return freeNs;
  }
}
