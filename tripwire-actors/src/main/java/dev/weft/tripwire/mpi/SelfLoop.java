package dev.weft.tripwire.mpi;

import java.lang.foreign.ValueLayout;

/** Messages of a rank to itself: short ones are copied while there is room, others wait at their sender. */
final class SelfLoop {
  private final int rank;
  private final Matching matching;
  private final MpiSettings settings;
  private int heldBytes;

  SelfLoop(int rank, Matching matching, MpiSettings settings) {
    this.rank = rank;
    this.matching = matching;
    this.settings = settings;
  }

  void send(Request send) {
    Request receive = matching.takePosted(rank, send.tag, send.context);
    int bytes = Ring.recordBytes(send.length());
    if (receive != null) {
      deliver(send, receive);
    } else if (send.length() <= settings.eagerMaxBytes() && heldBytes + bytes <= settings.unexpectedMaxBytes()) {
      heldBytes += bytes;
      matching.add(new Arrival(rank, send.tag, send.context, send.length(), send.buffer.toArray(ValueLayout.JAVA_BYTE), 0, null));
      send.done(null);
    } else {
      matching.add(new Arrival(rank, send.tag, send.context, send.length(), null, 0, send));
    }
  }

  void deliver(Request send, Request receive) {
    receive.receive(send.buffer, new MpiStatus(rank, send.tag, send.length()));
    send.done(null);
  }

  /** A copied message was received. */
  void release(int length) {
    heldBytes -= Ring.recordBytes(length);
  }
}
