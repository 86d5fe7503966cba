package dev.weft.tripwire.via;

/** States of a VI. */
public enum ViState {
  /** Not connected. Receives may be posted. */
  IDLE,
  CONNECT_PENDING,
  CONNECTED,
  /** The connection has ended; {@link Vi#disconnect} makes the VI idle again. */
  ERROR
}
