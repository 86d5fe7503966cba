package dev.weft.pvfs;

import dev.weft.hca.registration.Registrar;

/**
 * The time that a client or an I/O daemon charges its host in virtual time, where code itself takes no time. A model of a processor implements it. In
 * real time nothing is charged. The role that does the work calls it on its thread, before it sends its next message.
 */
public interface Costs {
  /** Charges nothing. */
  Costs NONE = new Costs() {};

  /** The processor copies so many bytes between a program's memory, messages, lent buffers and zone buffers. */
  default void copies(long bytes) {}

  /** The role sends a message of so many bytes next, data included. */
  default void sends(long bytes) {}

  /** The role has received a message of so many bytes, data included. */
  default void receives(long bytes) {}

  /** Returns for how many nanoseconds a file access manager is busy with so many bytes of a local object. */
  default long fileNs(boolean isWrite, long bytes) {
    return 0;
  }

  /** Returns a registrar that does the same and charges for it. */
  default Registrar registrar(Registrar registrar) {
    return registrar;
  }
}
