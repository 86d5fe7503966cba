package dev.weft.tripwire.driver;

import dev.weft.fabric.Check;
import dev.weft.fabric.packet.Packet;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** A mapping with its state. */
public final class MappedAperture implements RemoteAperture {
  /** Aperture number of a multicast aperture; each member has an aperture of its own instead. */
  public static final int MULTICAST = 1;

  private final Driver nic;
  private final int number;
  /** Distinguishes it from earlier and later mappings with the same number; 31 bits. */
  final int serial;
  private final Descriptor descriptor;
  public final int lid;
  public final int aperture;
  public final long key;
  private final long length;
  private volatile Status status = Status.OK;
  /** Text for users. */
  private volatile String cause = "";
  /** Whether earlier stores must not leave any more. Hardware thread. */
  private boolean failed;
  /** End of the ring of stores when the aperture was unmapped, or -1. Hardware thread. */
  long unmappedAt = -1;

  MappedAperture(Driver nic, int number, int serial, Descriptor descriptor) {
    this.nic = nic;
    this.number = number;
    this.serial = serial;
    this.descriptor = descriptor;
    lid = descriptor.lid();
    aperture = isMulticast() ? MULTICAST : descriptor.aperture();
    key = descriptor.key();
    length = descriptor.length();
  }

  public int number() {
    return number;
  }

  Driver nic() {
    return nic;
  }

  @Override
  public Descriptor descriptor() {
    return descriptor;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public boolean isMulticast() {
    return Packet.isMulticast(lid);
  }

  @Override
  public Status status() {
    return status;
  }

  @Override
  public String cause() {
    return cause;
  }

  /** Fails the mapping; the first reason stays. Hardware thread. */
  public void fail(Status reason, String why) {
    failed = true;
    if (status == Status.OK) {
      cause = why;
      status = reason;
    }
  }

  public boolean hasFailed() {
    return failed;
  }

  /** Ends the mapping; earlier stores still leave. Hardware thread. */
  void giveBack(long storesEnd) {
    unmappedAt = storesEnd;
    if (status == Status.OK) {
      cause = "it was unmapped";
      status = Status.INVALID;
    }
  }

  void check(long offset, long count, int right) {
    if (offset < 0 || count < 0 || offset > length - count) {
      throw new NicException(Status.OUT_OF_RANGE, "bytes " + offset + " to " + (offset + count) + " of " + length);
    }
    if ((descriptor.rights() & right) == 0) {
      throw new NicException(Status.DENIED, descriptor + " does not give the right to " + (right == Rights.READ ? "read" : "write"));
    }
    if (status != Status.OK) {
      throw new NicException(status, this + " has failed: " + cause);
    }
  }

  @Override
  public boolean write(long offset, MemorySegment source, long sourceOffset, int count) {
    check(offset, count, Rights.WRITE);
    return nic.stores().store(this, offset, source, sourceOffset, count);
  }

  @Override
  public boolean writeInt(long offset, int value) {
    byte[] bytes = new byte[4];
    MemorySegment word = MemorySegment.ofArray(bytes);
    word.set(ValueLayout.JAVA_INT_UNALIGNED, 0, value);
    return write(offset, word, 0, 4);
  }

  @Override
  public boolean writeLong(long offset, long value) {
    byte[] bytes = new byte[8];
    MemorySegment word = MemorySegment.ofArray(bytes);
    word.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
    return write(offset, word, 0, 8);
  }

  @Override
  public void read(long offset, MemorySegment target, long targetOffset, int count, Consumer<Status> done) {
    check(offset, count, Rights.READ);
    if (count < 1) {
      throw new NicException(Status.INVALID, "a read of " + count + " bytes");
    }
    Check.given("done", done);
    ApertureMemory.checkShared(Check.given("target", target));
    if (target.isReadOnly()) {
      throw new NicException(Status.INVALID, "the memory to read into is read-only");
    }
    MemorySegment into = target.asSlice(targetOffset, count);
    nic.control(() -> {
      nic.core().read(this, offset, into, done);
      return null;
    });
  }

  @Override
  public void unmap() {
    nic.giveBack(() -> nic.core().unmap(this));
  }

  @Override
  public String toString() {
    return "RemoteAperture[" + number + " " + descriptor + " " + status + "]";
  }
}
