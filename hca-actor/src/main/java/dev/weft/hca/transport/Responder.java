package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.verbs.Stall;

/** The receiving half of a queue pair, one class for each transport service. Confined to the hardware thread. */
public abstract class Responder {
  /** Forgets what is posted. */
  abstract void reset();

  abstract void start(int rqPsn, int maxDestRdAtomic);

  /** Changes how many reads and atomics the peer may have outstanding, where there are any. */
  void resize(int maxDestRdAtomic) {}

  /** PSN that is expected next. */
  abstract int ePsn();

  /** What keeps its peer from moving; known of reliable connections. */
  Stall stall(long nowNs) {
    return Stall.NONE;
  }

  /** Whether the peer is owed something. */
  public boolean hasAnswer() {
    return false;
  }

  public abstract void onRequest(Packet packet);

  /** There is room again for packets to absent pages. */
  void onRoom() {}

  /** A receive was posted after the peer had been told that there was none. */
  public void onReceivePosted() {}

  /** Sends one answer if there is one; returns whether it did. The caller has made sure of a link credit. */
  public boolean transmitOne() {
    return false;
  }

  /** Completes all posted receives with WR_FLUSH_ERR, in order. With {@code keepAnswers} what is owed to the peer still leaves. */
  public abstract void flush(boolean keepAnswers);
}
