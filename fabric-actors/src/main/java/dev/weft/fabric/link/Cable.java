package dev.weft.fabric.link;

import dev.weft.fabric.packet.CableMessage;

/**
 * One direction of a cable, as seen by the end that transmits. Only the actor that owns the transmitting end calls it, on its
 * own thread; it never blocks. The caller is responsible for flow control: it must hold a credit for each packet it transmits.
 */
public interface Cable {
  /** Hands a packet or a credit update to the other end. */
  void transmit(CableMessage message);

  /**
   * Runs {@code done} on the hardware thread when everything that was transmitted so far has been read from the sender's memory. Runs it
   * immediately if the cable does not charge for that.
   */
  default void whenRead(Runnable done) {
    done.run();
  }

  /** Returns when the last transmitted bit leaves this end, in nanoseconds of virtual time; a time up to now if nothing is being sent. */
  default long freeAtNs() {
    return Long.MIN_VALUE / 2;
  }
}
