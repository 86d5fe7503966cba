package dev.weft.pager.nbd;

import dev.weft.fabric.time.Clock;
import java.io.IOException;

/** Since when a client that owes something has not moved. The connection's thread. */
final class StallWatch {
  /**
   * A blocked reply is tried again so many times in a stall time-out. A kernel reports a socket writable only when a good part of
   * its buffer is free; the rest of the room would otherwise be found at the time-out, and pass for a client that moved.
   */
  private static final int STALL_LOOKS = 8;

  private final Clock clock;
  private final long timeoutNs;
  private long stalledSinceNs;
  private long bytesWrittenBefore;
  private boolean boundedBefore;

  StallWatch(Clock clock, long timeoutNs) {
    this.clock = clock;
    this.timeoutNs = timeoutNs;
  }

  /**
   * Looks, before the thread sleeps.
   *
   * @param bounded whether the client owes something
   * @param written bytes that it has taken so far
   * @throws IOException if it has taken too long
   */
  void check(boolean bounded, long written) throws IOException {
    long nowNs = clock.nowNs();
    if (!bounded || !boundedBefore || written != bytesWrittenBefore) {
      bytesWrittenBefore = written;
      boundedBefore = bounded;
      stalledSinceNs = nowNs;
    } else if (nowNs - stalledSinceNs >= timeoutNs) {
      throw new IOException("the client took no reply and sent no payload for the stall time-out");
    }
  }

  /** It has sent something. */
  void moved() {
    stalledSinceNs = clock.nowNs();
  }

  long stalledNs() {
    return clock.nowNs() - stalledSinceNs;
  }

  /** How long the thread may sleep until the next look. */
  long nextLookNs() {
    return Math.clamp(timeoutNs - stalledNs(), 1, timeoutNs / STALL_LOOKS);
  }
}
