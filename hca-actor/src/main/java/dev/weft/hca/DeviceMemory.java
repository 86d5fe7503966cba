package dev.weft.hca;

import dev.weft.fabric.Check;
import dev.weft.fabric.packet.MissingPages;
import dev.weft.hca.VerbsException.Errno;
import java.lang.foreign.MemorySegment;

/**
 * Memory of the HCA itself, as {@code ibv_dm}: consumers reach it by copying, peers through a region registered on it. Zero when
 * allocated. Offsets and lengths are multiples of {@link #ALIGNMENT}. Any thread; copies are not ordered with the traffic of peers.
 */
public final class DeviceMemory extends HeldMemory {
  /** Bytes. */
  public static final int ALIGNMENT = 4;

  DeviceMemory(Hca hca, long lengthBytes) {
    super(hca, lengthBytes);
  }

  /**
   * Copies all of {@code source} to {@code offset}.
   *
   * @throws VerbsException EINVAL if the memory was freed, or offset or length are not aligned or outside; EFAULT if the consumer's memory has
   *     no pages, and then part of it was copied
   */
  public void copyTo(long offset, MemorySegment source) {
    Check.given("source", source);
    check(offset, source.byteSize());
    copy(source, 0, memory, offset, source);
  }

  /** Fills {@code target} with what is at {@code offset}; errors as {@link #copyTo}. */
  public void copyFrom(long offset, MemorySegment target) {
    Check.given("target", target);
    check(offset, target.byteSize());
    copy(memory, offset, target, 0, target);
  }

  private static void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, MemorySegment consumers) {
    long lengthBytes = consumers.byteSize();
    try {
      MemorySegment.copy(from, fromOffset, to, toOffset, lengthBytes);
      MissingPages.raise();
    } catch (IllegalStateException freed) {
      throw new VerbsException(Errno.EINVAL, "the device memory, or the consumer's, was freed meanwhile");
    } catch (InternalError error) {
      throw PageAdvice.missing(error, consumers);
    }
  }

  private void check(long offset, long lengthBytes) {
    if (!memory.scope().isAlive()) {
      throw new VerbsException(Errno.EINVAL, "the device memory was freed");
    }
    boolean aligned = offset % ALIGNMENT == 0 && lengthBytes % ALIGNMENT == 0;
    if (!aligned || offset < 0 || lengthBytes < 0 || lengthBytes > length() - offset) {
      throw new VerbsException(Errno.EINVAL, lengthBytes + " bytes at " + offset + " of device memory of " + length()
          + " bytes; want multiples of " + ALIGNMENT + " inside it");
    }
  }

  @Override
  void checkRegistration(ProtectionDomain pd, long offset, long lengthBytes, int access) {
    check(offset, lengthBytes);
    if ((access & Access.ZERO_BASED) == 0) {
      throw new VerbsException(Errno.EINVAL, "device memory has no address of its own; register it with ZERO_BASED");
    }
  }
}
