package dev.weft.hca.registration;

/** The keys of memory that a {@link Registrar} has registered. Its addresses are the native ones. */
public interface RegisteredMemory {
  int lkey();

  int rkey();

  /** Whether the pages are locked; false where it was not asked for or RLIMIT_MEMLOCK forbade it. */
  boolean isPinned();

  /** False once the keys were invalidated, for example by LOCAL_INV. */
  boolean isValid();
}
