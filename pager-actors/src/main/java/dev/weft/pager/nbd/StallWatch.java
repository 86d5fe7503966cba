package dev.weft.pager.nbd;

import dev.weft.fabric.time.Clock;
import java.io.IOException;

/** Detects a client that neither receives its replies nor sends the rest of a payload. Used by the connection's thread only. */
final class StallWatch {
  /**
   * How often a blocked reply is tried again within a stall timeout. The kernel reports a socket as writable only when a large part of
   * its buffer is free. Without these attempts, the smaller free part would be found only at the timeout, and would look like progress of the client.
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
   * Checks the client before the thread sleeps.
   *
   * @param bounded whether the thread waits for the client to receive replies or to send payload
   * @param written number of bytes that the client has received so far
   * @throws IOException if the client has made no progress for the stall timeout
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

  /** Reports that the client has sent bytes. */
  void moved() {
    stalledSinceNs = clock.nowNs();
  }

  long stalledNs() {
    return clock.nowNs() - stalledSinceNs;
  }

  /** Returns how long the thread may sleep until the next check. */
  long nextLookNs() {
    return Math.clamp(timeoutNs - stalledNs(), 1, timeoutNs / STALL_LOOKS);
  }
}
