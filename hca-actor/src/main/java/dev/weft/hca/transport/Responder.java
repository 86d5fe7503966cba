package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.verbs.Stall;

/** The receiving half of a queue pair; each transport service has its own class. Used on the hardware thread only. */
public abstract class Responder {
  /** Drops the posted receives. */
  abstract void reset();

  abstract void start(int rqPsn, int maxDestRdAtomic);

  /** Changes the number of reads and atomics that the peer may have outstanding, if the service has them. */
  void resize(int maxDestRdAtomic) {}

  /** The next expected PSN. */
  abstract int ePsn();

  /** The reason why the peer does not progress; known only for reliable connections. */
  Stall stall(long nowNs) {
    return Stall.NONE;
  }

  /** Whether a response to the peer waits to be sent. */
  public boolean hasAnswer() {
    return false;
  }

  public abstract void onRequest(Packet packet);

  /** Called when there is room again for packets to absent pages. */
  void onRoom() {}

  /** Called when a receive was posted after the peer had been told that none was posted. */
  public void onReceivePosted() {}

  /** Sends one response if there is one; returns whether it did. The caller must have checked that a link credit is available. */
  public boolean transmitOne() {
    return false;
  }

  /** Completes all posted receives with WR_FLUSH_ERR, in order. With {@code keepAnswers}, the responses that it owes the peer are still sent. */
  public abstract void flush(boolean keepAnswers);
}
