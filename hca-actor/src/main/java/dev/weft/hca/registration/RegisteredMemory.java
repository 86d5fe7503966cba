package dev.weft.hca.registration;

/** The keys of memory that a {@link Registrar} has registered, for use with native addresses. */
public interface RegisteredMemory {
  int lkey();

  int rkey();

  /** Whether the pages are locked; false if the settings do not ask for it or RLIMIT_MEMLOCK forbade it. */
  boolean isPinned();

  /** Whether the keys are valid; false after they were invalidated, for example by LOCAL_INV. */
  boolean isValid();
}
