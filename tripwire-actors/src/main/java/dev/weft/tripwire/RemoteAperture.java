package dev.weft.tripwire;

import dev.weft.fabric.Check;
import dev.weft.fabric.packet.Packet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/**
 * Memory of another host, mapped here (CLAN, section 3.2). Stores leave in the order in which they were made, whatever their targets (PRAM
 * consistency, section 2.1). A store has no answer. If one is refused or lost, the mapping fails in bounded time, see {@link #status} and
 * {@link #cause}.
 *
 * <p>Any thread. While the NIC has no room, a store waits, as on a processor. On the hardware thread it returns false instead, and nothing was
 * stored.
 */
public final class RemoteAperture {
  /** Aperture number of a multicast aperture; each member has an aperture of its own instead. */
  static final int MULTICAST = 1;

  private final Driver nic;
  private final int number;
  /** Distinguishes it from earlier and later mappings with the same number; 31 bits. */
  final int serial;
  private final Descriptor descriptor;
  final int lid;
  final int aperture;
  final long key;
  private final long length;
  private volatile Status status = Status.OK;
  /** Text for users. */
  private volatile String cause = "";
  /** Whether earlier stores must not leave any more. Hardware thread. */
  private boolean failed;
  /** End of the ring of stores when the aperture was unmapped, or -1. Hardware thread. */
  long unmappedAt = -1;

  RemoteAperture(Driver nic, int number, int serial, Descriptor descriptor) {
    this.nic = nic;
    this.number = number;
    this.serial = serial;
    this.descriptor = descriptor;
    lid = descriptor.lid();
    aperture = isMulticast() ? MULTICAST : descriptor.aperture();
    key = descriptor.key();
    length = descriptor.length();
  }

  int number() {
    return number;
  }

  Driver nic() {
    return nic;
  }

  public Descriptor descriptor() {
    return descriptor;
  }

  public long length() {
    return length;
  }

  /** Whether stores through it reach all members of a group. It cannot be read. */
  public boolean isMulticast() {
    return Packet.isMulticast(lid);
  }

  /** OK, or why the mapping can no longer be used. */
  public Status status() {
    return status;
  }

  /** Describes why the mapping can no longer be used; empty while it can. */
  public String cause() {
    return cause;
  }

  /** Fails the mapping; the first reason stays. Hardware thread. */
  void fail(Status reason, String why) {
    failed = true;
    if (status == Status.OK) {
      cause = why;
      status = reason;
    }
  }

  boolean hasFailed() {
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

  /** Stores bytes; returns false if the hardware thread finds no room. */
  public boolean write(long offset, MemorySegment source, long sourceOffset, int count) {
    check(offset, count, Rights.WRITE);
    return nic.stores().store(this, offset, source, sourceOffset, count);
  }

  /** Stores 32 bits in the byte order of this machine. */
  public boolean writeInt(long offset, int value) {
    byte[] bytes = new byte[4];
    MemorySegment word = MemorySegment.ofArray(bytes);
    word.set(ValueLayout.JAVA_INT_UNALIGNED, 0, value);
    return write(offset, word, 0, 4);
  }

  /** Stores 64 bits in the byte order of this machine. */
  public boolean writeLong(long offset, long value) {
    byte[] bytes = new byte[8];
    MemorySegment word = MemorySegment.ofArray(bytes);
    word.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value);
    return write(offset, word, 0, 8);
  }

  /**
   * Reads bytes into memory of this host.
   *
   * @param done called once on the hardware thread, with OK when all bytes are there, otherwise with the reason
   * @throws NicException EXHAUSTED if too many reads are outstanding; INVALID for memory that cannot be written
   */
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

  /** Unmaps it; earlier stores still leave. */
  public void unmap() {
    nic.giveBack(() -> nic.core().unmap(this));
  }

  @Override
  public String toString() {
    return "RemoteAperture[" + number + " " + descriptor + " " + status + "]";
  }
}
