package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.verbs.Stall;

/** The sending half of a queue pair; each transport service has its own class. Used on the hardware thread only; callers pass the time. */
public abstract class Requester {
  static final long NEVER = Long.MAX_VALUE;

  /** The time at which {@link #onDeadline} must be called, or {@link #NEVER}. */
  long deadlineNs = NEVER;
  /** Its transport retries; always 0 for a service without retries. */
  final RetryHistory retries = new RetryHistory();

  /** Drops the posted requests. */
  public abstract void reset();

  abstract void start(int sqPsn);

  /** The PSN of the next new packet. */
  abstract int psnMax();

  /** The oldest PSN that is not acknowledged. */
  abstract int psnUna();

  /** The reason why it does not progress; known only for reliable connections. */
  Stall stall(long nowNs) {
    return Stall.NONE;
  }

  boolean isRnrWaiting() {
    return false;
  }

  /** Whether all posted requests have been sent at least once, so that the queue pair can wait for the next doorbell. */
  public abstract boolean allSent();

  /** Sends one packet if allowed; returns whether it did. The caller must have checked that a link credit is available or not needed. */
  public abstract boolean transmitOne(long nowNs);

  /** The service level of the packet that {@link #transmitOne} would send. */
  public abstract int serviceLevel();

  /** Whether requests wait while the link is down; otherwise their packets are lost. */
  public abstract boolean waitsForLink();

  /** Whether, in SQD, all started requests have completed. */
  abstract boolean isDrained();

  /** Handles an acknowledgement or another response. */
  public abstract void onResponse(Packet packet, long nowNs);

  abstract void onDeadline(long nowNs);

  /** Called when the link is down and this queue pair waits for it. */
  public abstract void onLinkDown(long nowNs);

  /** Called when there is room again for responses whose pages are absent. */
  void onRoom() {}

  /** Completes all remaining requests with WR_FLUSH_ERR, in order. */
  abstract void flush();
}
