package dev.weft.tripwire.ip;

import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;

/**
 * The owner of each receive buffer: idle buffers wait to be offered, offered ones belong to the transmitter, filled ones to the code that takes
 * packets. It checks the transmitter's reports. One thread.
 */
final class BufferLedger {
  private enum State { IDLE, OFFERED, FILLED }

  private final State[] states;
  private final int packetMaxBytes;
  /** Idle buffers in the order in which they became idle. */
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

  /** The next buffer to offer, -1 if there is none. */
  int nextIdle() {
    return idleCount == 0 ? -1 : idle[idleHead];
  }

  /** The buffer that {@link #nextIdle} returned has been offered. */
  void offered() {
    states[idle[idleHead]] = State.OFFERED;
    idleHead = (idleHead + 1) % idle.length;
    idleCount--;
  }

  /**
   * The transmitter reports a packet in a buffer.
   *
   * @throws NicException INVALID if the buffer was not the transmitter's, or the length is impossible
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

  /** The packet in the buffer is no longer needed. */
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
