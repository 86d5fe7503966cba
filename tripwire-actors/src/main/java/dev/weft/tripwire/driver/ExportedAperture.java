package dev.weft.tripwire.driver;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;

/** An exported aperture with its keys and memory. */
public final class ExportedAperture implements LocalAperture {
  private final Driver nic;
  private final int number;
  private final long length;
  /** Keys by rights. */
  private final long[] keys;
  public final ApertureMemory memory;
  public volatile boolean open = true;

  ExportedAperture(Driver nic, int number, MemorySegment segment, long[] keys) {
    this.nic = nic;
    this.number = number;
    this.length = segment.byteSize();
    this.keys = keys;
    memory = new ApertureMemory(segment, Rights.ALL);
  }

  public int number() {
    return number;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public Descriptor descriptor(int rights) {
    Rights.check(rights);
    if (rights == 0) {
      throw new NicException(Status.INVALID, "a descriptor without rights is of no use");
    }
    return Descriptor.of(nic.lid(), number, length, rights, keys[rights]);
  }

  /** Rights that a key gives; 0 if it is not a key of this aperture. */
  public int rightsOf(long key) {
    for (int rights = 1; rights < keys.length; rights++) {
      if (keys[rights] == key) {
        return rights;
      }
    }
    return 0;
  }

  @Override
  public void remap(long offset, MemorySegment segment) {
    ApertureMemory.checkShared(segment);
    nic.control(() -> {
      memory.remap(offset, segment);
      return null;
    });
  }

  @Override
  public void protect(long offset, long count, int rights) {
    Rights.check(rights);
    nic.control(() -> {
      memory.protect(offset, count, rights);
      return null;
    });
  }

  @Override
  public void revoke() {
    nic.giveBack(() -> nic.core().revoke(this));
  }

  @Override
  public String toString() {
    return "LocalAperture[" + number + " " + length + " bytes" + (open ? "" : " revoked") + "]";
  }
}
