package dev.weft.hca.verbs;

import dev.weft.fabric.Check;
import java.lang.foreign.MemorySegment;

/**
 * The attributes of a registration, as {@code ibv_mr_init_attr} of {@code ibv_reg_mr_ex}: memory of exactly one kind, a range of it, and the
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

  /** Registers memory of the consumer, from an Arena. */
  public MrInitAttr memory(MemorySegment memory) {
    Check.given("memory", memory);
    secondKind |= buffer != null || deviceMemory != null;
    segment = memory;
    return this;
  }

  /** Registers a buffer of the domain. */
  public MrInitAttr buffer(PdBuffer buffer) {
    Check.given("buffer", buffer);
    secondKind |= segment != null || deviceMemory != null;
    this.buffer = buffer;
    return this;
  }

  /** Registers memory of the HCA; needs {@link Access#ZERO_BASED}. */
  public MrInitAttr deviceMemory(DeviceMemory deviceMemory) {
    Check.given("deviceMemory", deviceMemory);
    secondKind |= segment != null || buffer != null;
    this.deviceMemory = deviceMemory;
    return this;
  }

  /** Registers a part of the memory, in bytes; without this call, all of it. */
  public MrInitAttr range(long from, long lengthBytes) {
    offset = from;
    length = lengthBytes;
    return this;
  }

  /** Sets the first address of the region; without this call, the native address, or 0 with {@link Access#ZERO_BASED}. */
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

  /** The memory of the consumer, or null. */
  public MemorySegment memory() {
    return segment;
  }

  /** The buffer of the domain, or null. */
  public PdBuffer buffer() {
    return buffer;
  }

  /** The memory of the HCA, or null. */
  public DeviceMemory deviceMemory() {
    return deviceMemory;
  }

  /** The offset of the range in the memory, in bytes. */
  public long offset() {
    return offset;
  }

  /** The length of the range in bytes; negative for all bytes from the offset on. */
  public long length() {
    return length;
  }

  /** Returns the first address of the region whose memory is {@code range}. */
  public long iova(MemorySegment range) {
    return hasIova ? iova : Check.given("range", range).address();
  }

  public int access() {
    return access;
  }
}
