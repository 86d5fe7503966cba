package dev.weft.fabric.link;

/**
 * One direction of a cable, as seen by the end that transmits. Called only by the actor that owns the transmitting end,
 * on its thread; never blocks. Flow control is the caller's: it holds a credit for each packet it transmits.
 */
public interface Cable {
  /** Hands a packet or a credit update to the other end. */
  void transmit(CableMessage message);
}
