package dev.weft.hca;

import dev.weft.fabric.Check;
import dev.weft.hca.VerbsException.Errno;
import java.lang.foreign.MemorySegment;

/**
 * What is to be registered, as {@code ibv_mr_init_attr} of {@code ibv_reg_mr_ex}: memory of exactly one kind, a range of it, and the
 * rights. Fluent and reusable; not thread safe.
 */
public final class MrInitAttr {
  private MemorySegment segment;
  private HeldMemory held;
  private boolean secondKind;
  private long offset;
  private long length = -1;
  private long iova;
  private boolean hasIova;
  private int access;

  /** Memory of the consumer's own, from an Arena. */
  public MrInitAttr memory(MemorySegment memory) {
    Check.given("memory", memory);
    secondKind |= held != null;
    segment = memory;
    return this;
  }

  /** A buffer of the domain. */
  public MrInitAttr buffer(PdBuffer buffer) {
    Check.given("buffer", buffer);
    return held(buffer);
  }

  /** Memory of the HCA; needs {@link Access#ZERO_BASED}. */
  public MrInitAttr deviceMemory(DeviceMemory deviceMemory) {
    Check.given("deviceMemory", deviceMemory);
    return held(deviceMemory);
  }

  private MrInitAttr held(HeldMemory memory) {
    secondKind |= segment != null || (held != null && held.getClass() != memory.getClass());
    held = memory;
    return this;
  }

  /** Part of the memory, in bytes; all of it if this is not called. */
  public MrInitAttr range(long from, long lengthBytes) {
    offset = from;
    length = lengthBytes;
    return this;
  }

  /** First address of the region; the native one, or 0 with {@link Access#ZERO_BASED}, if this is not called. */
  public MrInitAttr iova(long address) {
    iova = address;
    hasIova = true;
    return this;
  }

  /** {@link Access} bits. */
  public MrInitAttr access(int bits) {
    access = bits;
    return this;
  }

  int access() {
    return access;
  }

  HeldMemory held() {
    return held;
  }

  /** The range in the memory; EINVAL unless the memory is of one kind and the range inside it. */
  MemorySegment resolve(ProtectionDomain pd) {
    if (secondKind || (segment == null && held == null)) {
      throw new VerbsException(Errno.EINVAL, "name memory of exactly one kind: memory, buffer or deviceMemory");
    }
    long total = held == null ? segment.byteSize() : held.length();
    long lengthBytes = length < 0 ? total - offset : length;
    if (held != null) {
      held.checkRegistration(pd, offset, lengthBytes, access);
    } else if (offset < 0 || lengthBytes < 0 || lengthBytes > total - offset) {
      throw new VerbsException(Errno.EINVAL, lengthBytes + " bytes at " + offset + " of memory of " + total + " bytes, want a range inside it");
    }
    return (held == null ? segment : held.memory).asSlice(offset, lengthBytes);
  }

  long iova(MemorySegment range) {
    return hasIova ? iova : range.address();
  }
}
