package dev.weft.tripwire.nic;

import java.lang.foreign.MemorySegment;

/**
 * Memory of this host that holders of a descriptor may read and write (CLAN, section 3.2). Any thread. Changes wait for the hardware thread, so they
 * are in force when the call returns.
 */
public interface LocalAperture {
  /** Length in bytes. */
  long length();

  boolean isOpen();

  /** Returns a descriptor with these {@link Rights}, one or both; other hosts map the aperture by it. */
  Descriptor descriptor(int rights);

  /**
   * Replaces the memory of whole pages; the descriptors stay valid.
   *
   * @param offset a multiple of 4096
   * @param segment whole pages, or up to the end of the aperture
   */
  void remap(long offset, MemorySegment segment);

  /** Changes the rights of others to whole pages: {@link Rights}, or 0 for none. */
  void protect(long offset, long count, int rights);

  /** Ends the aperture: when this returns, no descriptor gives access to the memory any more. */
  void revoke();
}
