package dev.weft.tripwire;

import java.lang.foreign.MemorySegment;

/**
 * Memory of this host that holders of a descriptor may read and write (CLAN, section 3.2). Any thread. Changes wait for the hardware thread, so they
 * are in force when the call returns.
 */
public final class LocalAperture {
  private final Driver nic;
  private final int number;
  private final long length;
  /** Keys by rights. */
  private final long[] keys;
  final ApertureMemory memory;
  volatile boolean open = true;

  LocalAperture(Driver nic, int number, MemorySegment segment, long[] keys) {
    this.nic = nic;
    this.number = number;
    this.length = segment.byteSize();
    this.keys = keys;
    memory = new ApertureMemory(segment, Rights.ALL);
  }

  int number() {
    return number;
  }

  /** Length in bytes. */
  public long length() {
    return length;
  }

  public boolean isOpen() {
    return open;
  }

  /** Returns a descriptor with these {@link Rights}, one or both; other hosts map the aperture by it. */
  public Descriptor descriptor(int rights) {
    Rights.check(rights);
    if (rights == 0) {
      throw new NicException(Status.INVALID, "a descriptor without rights is of no use");
    }
    return Descriptor.of(nic.lid(), number, length, rights, keys[rights]);
  }

  /** Rights that a key gives; 0 if it is not a key of this aperture. */
  int rightsOf(long key) {
    for (int rights = 1; rights < keys.length; rights++) {
      if (keys[rights] == key) {
        return rights;
      }
    }
    return 0;
  }

  /**
   * Replaces the memory of whole pages; the descriptors stay valid.
   *
   * @param offset a multiple of 4096
   * @param segment whole pages, or up to the end of the aperture
   */
  public void remap(long offset, MemorySegment segment) {
    ApertureMemory.checkShared(segment);
    nic.control(() -> {
      memory.remap(offset, segment);
      return null;
    });
  }

  /** Changes the rights of others to whole pages: {@link Rights}, or 0 for none. */
  public void protect(long offset, long count, int rights) {
    Rights.check(rights);
    nic.control(() -> {
      memory.protect(offset, count, rights);
      return null;
    });
  }

  /** Ends the aperture: when this returns, no descriptor gives access to the memory any more. */
  public void revoke() {
    nic.giveBack(() -> nic.core().revoke(this));
  }

  @Override
  public String toString() {
    return "LocalAperture[" + number + " " + length + " bytes" + (open ? "" : " revoked") + "]";
  }
}
