package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.verbs.Stall;

/** The sending half of a queue pair, one class for each transport service. Confined to the hardware thread; time is passed in. */
public abstract class Requester {
  static final long NEVER = Long.MAX_VALUE;

  /** When {@link #onDeadline} is to be called, or {@link #NEVER}. */
  long deadlineNs = NEVER;

  /** Forgets what is posted. */
  public abstract void reset();

  abstract void start(int sqPsn);

  /** PSN of the next new packet. */
  abstract int psnMax();

  /** Oldest PSN that is not acknowledged. */
  abstract int psnUna();

  /** Transport retries left, where there are any. */
  int retriesLeft() {
    return 0;
  }

  /** The most retries that were used up before something was acknowledged, since the queue pair began. */
  int retriesMost() {
    return 0;
  }

  /** The longest wait for an answer, in nanoseconds, of those that outlasted the timeout; 0 if none did. */
  long silenceMaxNs() {
    return 0;
  }

  /** What keeps it from moving; known of reliable connections. */
  Stall stall(long nowNs) {
    return Stall.NONE;
  }

  boolean isRnrWaiting() {
    return false;
  }

  /** Whether everything posted has been sent at least once; the queue pair may go to sleep until the next doorbell. */
  public abstract boolean allSent();

  /** Sends one packet if it may; returns whether it did. The caller has made sure of a link credit, or that none is needed. */
  public abstract boolean transmitOne(long nowNs);

  /** Service level of the packet that {@link #transmitOne} would send. */
  public abstract int serviceLevel();

  /** Whether requests wait while the link is down; else their packets are lost. */
  public abstract boolean waitsForLink();

  /** In SQD: everything that was started has been completed. */
  abstract boolean isDrained();

  /** An acknowledgement or an answer. */
  public abstract void onResponse(Packet packet, long nowNs);

  abstract void onDeadline(long nowNs);

  /** The link is down, and this queue pair waits for it. */
  public abstract void onLinkDown(long nowNs);

  /** There is room again for answers whose pages are absent. */
  void onRoom() {}

  /** Completes everything that is left with WR_FLUSH_ERR, in order. */
  abstract void flush();
}
