package dev.weft.fabric.link;

import dev.weft.fabric.packet.CableMessage;

/**
 * One direction of a cable, as seen by the end that transmits. Called only by the actor that owns the transmitting end,
 * on its thread; never blocks. Flow control is the caller's: it holds a credit for each packet it transmits.
 */
public interface Cable {
  /** Hands a packet or a credit update to the other end. */
  void transmit(CableMessage message);

  /**
   * Runs {@code done}, on the hardware thread, when everything that was transmitted until now has been read from the sender's memory; at
   * once where nothing charges for that.
   */
  default void whenRead(Runnable done) {
    done.run();
  }

  /** When the last bit of what was transmitted leaves this end, in nanoseconds of virtual time; now or before if nothing is on its way. */
  default long freeAtNs() {
    return Long.MIN_VALUE / 2;
  }
}
