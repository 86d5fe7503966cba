package dev.weft.tripwire;

import java.lang.foreign.MemorySegment;

/**
 * Memory of this host that holders of a descriptor may read and write (seed 003 section 3.2). Any thread; what changes it waits for the
 * hardware thread, so that it holds when the call returns.
 */
public final class LocalAperture {
  private final Nic nic;
  private final int number;
  private final long length;
  /** By rights. */
  private final long[] keys;
  final ApertureMemory memory;
  volatile boolean open = true;

  LocalAperture(Nic nic, int number, MemorySegment segment, long[] keys) {
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

  /** What others need to map the aperture with these {@link Rights}, one or both. */
  public Descriptor descriptor(int rights) {
    Rights.check(rights);
    if (rights == 0) {
      throw new NicException(Status.INVALID, "a descriptor without rights is of no use");
    }
    return Descriptor.of(nic.lid(), number, length, rights, keys[rights]);
  }

  /** Rights of a key, 0 if it is none of this aperture's. */
  int rightsOf(long key) {
    for (int rights = 1; rights < keys.length; rights++) {
      if (keys[rights] == key) {
        return rights;
      }
    }
    return 0;
  }

  /**
   * Puts other memory behind whole pages, from now on; the descriptors stay as they are.
   *
   * @param offset a multiple of 4096
   * @param segment whole pages, or up to the end of the aperture
   */
  public void remap(long offset, MemorySegment segment) {
    Tables.checkShared(segment);
    nic.control(() -> {
      memory.remap(offset, segment);
      return null;
    });
  }

  /** Changes what others may do with whole pages; {@link Rights}, 0 for nothing. */
  public void protect(long offset, long count, int rights) {
    Rights.check(rights);
    nic.control(() -> {
      memory.protect(offset, count, rights);
      return null;
    });
  }

  /** Ends the aperture: when this returns nobody can write or read the memory any more, whatever descriptor he holds. */
  public void revoke() {
    nic.giveBack(() -> nic.core().revoke(this));
  }

  @Override
  public String toString() {
    return "LocalAperture[" + number + " " + length + " bytes" + (open ? "" : " revoked") + "]";
  }
}
