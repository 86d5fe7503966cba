package dev.weft.hca.verbs;

import dev.weft.fabric.Check;
import java.lang.foreign.MemorySegment;

/**
 * What is to be registered, as {@code ibv_mr_init_attr} of {@code ibv_reg_mr_ex}: memory of exactly one kind, a range of it, and the
 * rights. Fluent and reusable; not thread safe.
 */
public final class MrInitAttr {
  private MemorySegment segment;
  private PdBuffer buffer;
  private DeviceMemory deviceMemory;
  private boolean secondKind;
  private long offset;
  private long length = -1;
  private long iova;
  private boolean hasIova;
  private int access;

  /** Memory of the consumer's own, from an Arena. */
  public MrInitAttr memory(MemorySegment memory) {
    Check.given("memory", memory);
    secondKind |= buffer != null || deviceMemory != null;
    segment = memory;
    return this;
  }

  /** A buffer of the domain. */
  public MrInitAttr buffer(PdBuffer buffer) {
    Check.given("buffer", buffer);
    secondKind |= segment != null || deviceMemory != null;
    this.buffer = buffer;
    return this;
  }

  /** Memory of the HCA; needs {@link Access#ZERO_BASED}. */
  public MrInitAttr deviceMemory(DeviceMemory deviceMemory) {
    Check.given("deviceMemory", deviceMemory);
    secondKind |= segment != null || buffer != null;
    this.deviceMemory = deviceMemory;
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

  /** Whether memory of exactly one kind was named. */
  public boolean isOneKind() {
    return !secondKind && (segment != null || buffer != null || deviceMemory != null);
  }

  /** Memory of the consumer's own, or null. */
  public MemorySegment memory() {
    return segment;
  }

  /** A buffer of the domain, or null. */
  public PdBuffer buffer() {
    return buffer;
  }

  /** Memory of the HCA, or null. */
  public DeviceMemory deviceMemory() {
    return deviceMemory;
  }

  /** Where the range begins in the memory, in bytes. */
  public long offset() {
    return offset;
  }

  /** Bytes of the range; negative: all that follow. */
  public long length() {
    return length;
  }

  /** First address of the region, which begins there in memory. */
  public long iova(MemorySegment range) {
    return hasIova ? iova : Check.given("range", range).address();
  }

  public int access() {
    return access;
  }
}
