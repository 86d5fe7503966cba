package dev.weft.tripwire.ip;

import dev.weft.tripwire.NicException;
import dev.weft.tripwire.Status;

/**
 * Whose each receive buffer is: idle ones are to be offered, offered ones belong to the transmitter, filled ones to who takes the packets.
 * The transmitter's word for it is checked. One thread.
 */
final class BufferLedger {
  private enum State { IDLE, OFFERED, FILLED }

  private final State[] states;
  private final int packetMaxBytes;
  /** Idle buffers in the order in which they became so. */
  private final int[] idle;
  private int idleHead;
  private int idleCount;
  private int filledCount;

  BufferLedger(int buffers, int packetMaxBytes) {
    this.packetMaxBytes = packetMaxBytes;
    states = new State[buffers];
    idle = new int[buffers];
    for (int i = 0; i < buffers; i++) {
      push(i);
    }
  }

  private void push(int buffer) {
    states[buffer] = State.IDLE;
    idle[(idleHead + idleCount) % idle.length] = buffer;
    idleCount++;
  }

  /** The buffer to offer next, -1 if there is none. */
  int nextIdle() {
    return idleCount == 0 ? -1 : idle[idleHead];
  }

  /** The buffer that {@link #nextIdle} answered has been offered. */
  void offered() {
    states[idle[idleHead]] = State.OFFERED;
    idleHead = (idleHead + 1) % idle.length;
    idleCount--;
  }

  /**
   * The transmitter says that it has put a packet into a buffer.
   *
   * @throws NicException INVALID if the buffer was not his, or the packet cannot be that long
   */
  void filled(int buffer, int length) {
    if (buffer < 0 || buffer >= states.length || states[buffer] != State.OFFERED || length < 1 || length > packetMaxBytes) {
      throw new NicException(Status.INVALID, "the transmitter says that it put " + length + " bytes into buffer " + buffer + ", which is "
          + (buffer < 0 || buffer >= states.length ? "none of " + states.length : states[buffer]) + "; a packet has 1 to "
          + packetMaxBytes);
    }
    states[buffer] = State.FILLED;
    filledCount++;
  }

  /** Who took the packet needs it no more. */
  void released(int buffer) {
    if (states[buffer] != State.FILLED) {
      throw new IllegalStateException("buffer " + buffer + " is given back, but is " + states[buffer]);
    }
    filledCount--;
    push(buffer);
  }

  int idleCount() {
    return idleCount;
  }

  int filledCount() {
    return filledCount;
  }

  int offeredCount() {
    return states.length - idleCount - filledCount;
  }
}
