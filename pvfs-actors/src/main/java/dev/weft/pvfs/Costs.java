package dev.weft.pvfs;

import dev.weft.hca.registration.Registrar;

/**
 * What virtual time charges a host for what a client or an I/O daemon does: code takes no time there, so whoever models a processor says what things cost. In
 * real time they take the time they take. Called on the thread of the role that does it, before what it sends next.
 */
public interface Costs {
  /** Nothing costs anything. */
  Costs NONE = new Costs() {};

  /** A processor copies data between a program's memory, messages, lent buffers, and zone buffers. */
  default void copies(long bytes) {}

  /** A message of so many bytes, data included, is sent next. */
  default void sends(long bytes) {}

  /** A message of so many bytes, data included, has come. */
  default void receives(long bytes) {}

  /** Nanoseconds that a file access manager is busy with data of a local object. */
  default long fileNs(boolean isWrite, long bytes) {
    return 0;
  }

  /** The same registrar, charged for. */
  default Registrar registrar(Registrar registrar) {
    return registrar;
  }
}
