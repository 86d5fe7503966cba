package dev.weft.hca.verbs;

import dev.weft.fabric.Check;
import dev.weft.fabric.packet.Packet;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A send work request. Build one with the fluent methods, post it as often as you like, and build the next in the same
 * object: posting copies it, so the hot path allocates nothing. Not thread safe.
 *
 * <pre>{@code
 * qp.postSend(wr.write(remoteAddr, rkey).sge(mr, 0, 8).wrId(7).signaled());
 * }</pre>
 */
public final class WorkRequest {
  private final SgList sgList = new SgList();
  private long wrId;
  private WrOpcode opcode = WrOpcode.SEND;
  private int flags;
  private long remoteAddr;
  private int rkey;
  private int immData;
  private long compareAdd;
  private long swap;
  private int invalidateRkey;
  private MwBind bind;
  private int flushLength;
  /** The destination of a datagram, or null. */
  private AddressHandle addressHandle;
  private int remoteQpNum;
  private int remoteQkey;
  /** The sources of inline data, which replaces the scatter/gather list. */
  private MemorySegment[] inlineData = new MemorySegment[1];
  private int inlineCount;

  private WorkRequest start(WrOpcode newOpcode) {
    opcode = newOpcode;
    sgList.clear();
    wrId = 0;
    flags = 0;
    remoteAddr = 0;
    rkey = 0;
    immData = 0;
    compareAdd = 0;
    swap = 0;
    clearInline();
    invalidateRkey = 0;
    bind = null;
    flushLength = 0;
    addressHandle = null;
    return this;
  }

  public WorkRequest send() {
    return start(WrOpcode.SEND);
  }

  public WorkRequest sendWithImm(int immediate) {
    start(WrOpcode.SEND_WITH_IMM).immData = immediate;
    return this;
  }

  /** A send that also invalidates a key of the peer: that of a type 2 window which was bound through the peer's queue pair. */
  public WorkRequest sendWithInvalidate(int remoteKey) {
    start(WrOpcode.SEND_WITH_INV).invalidateRkey = remoteKey;
    return this;
  }

  /** An RDMA Write to {@code remoteAddress} of the peer, in the address space of the region of {@code remoteKey}. */
  public WorkRequest write(long remoteAddress, int remoteKey) {
    return start(WrOpcode.RDMA_WRITE).remote(remoteAddress, remoteKey);
  }

  public WorkRequest writeWithImm(long remoteAddress, int remoteKey, int immediate) {
    start(WrOpcode.RDMA_WRITE_WITH_IMM).remote(remoteAddress, remoteKey).immData = immediate;
    return this;
  }

  public WorkRequest read(long remoteAddress, int remoteKey) {
    return start(WrOpcode.RDMA_READ).remote(remoteAddress, remoteKey);
  }

  /**
   * Atomically replaces the 8-byte word there by {@code replacement} if it equals {@code expected}. The old value goes to the one 8-byte scatter
   * element.
   */
  public WorkRequest compareAndSwap(long remoteAddress, int remoteKey, long expected, long replacement) {
    start(WrOpcode.ATOMIC_CMP_AND_SWP).remote(remoteAddress, remoteKey);
    compareAdd = expected;
    swap = replacement;
    return this;
  }

  /** Atomically adds to the 8-byte word there. The old value goes to the one 8-byte scatter element. */
  public WorkRequest fetchAndAdd(long remoteAddress, int remoteKey, long addend) {
    start(WrOpcode.ATOMIC_FETCH_AND_ADD).remote(remoteAddress, remoteKey);
    compareAdd = addend;
    return this;
  }

  /**
   * Writes the 8 bytes of the request atomically: a reader of the word sees either the old or the new value, never a mixture.
   *
   * @param remoteAddress a multiple of 8
   */
  public WorkRequest atomicWrite(long remoteAddress, int remoteKey) {
    return start(WrOpcode.ATOMIC_WRITE).remote(remoteAddress, remoteKey);
  }

  /**
   * Completes when all earlier writes of this queue to that memory are visible or persistent, as {@code types} says. Carries no bytes. The region
   * and the queue pair of the peer must grant each type ({@link Access#FLUSH_GLOBAL}, {@link Access#FLUSH_PERSISTENT}).
   *
   * @param lengthBytes number of bytes from {@code remoteAddress} on; {@link FlushLevel#REGION} ignores it and the address
   * @param types {@link FlushType} bits, at least one
   */
  public WorkRequest flush(long remoteAddress, int remoteKey, int lengthBytes, int types, FlushLevel level) {
    Check.given("level", level);
    if (lengthBytes < 0 || types == 0 || (types & ~FlushType.ALL) != 0) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "flush of " + lengthBytes + " bytes with types 0x"
          + Integer.toHexString(types) + "; the length must be 0 or more, and the types one or more bits of FlushType");
    }
    start(WrOpcode.FLUSH).remote(remoteAddress, remoteKey).flushLength = lengthBytes;
    immData = types | (level == FlushLevel.REGION ? Packet.FLUSH_REGION : 0);
    return this;
  }

  /** Invalidates {@code key} of this node, in order with the other requests of the queue. */
  public WorkRequest localInvalidate(int key) {
    start(WrOpcode.LOCAL_INV).invalidateRkey = key;
    return this;
  }

  /** Binds a type 2 memory window, in order with the other requests of the queue. For type 1 use {@link Hca#bindMw}. */
  public WorkRequest bindMw(MwBind binding) {
    Check.given("binding", binding);
    start(WrOpcode.BIND_MW).bind = binding;
    return this;
  }

  private WorkRequest remote(long address, int key) {
    remoteAddr = address;
    rkey = key;
    return this;
  }

  /**
   * Sets the destination of a datagram.
   *
   * @param remoteQp number of the destination queue pair; {@link dev.weft.fabric.packet.Packet#MULTICAST_QP} for a multicast group
   * @param qkey queue key of that queue pair; if its top bit is set, the key of the sending queue pair is sent instead
   */
  public WorkRequest to(AddressHandle handle, int remoteQp, int qkey) {
    Check.given("handle", handle);
    addressHandle = handle;
    remoteQpNum = remoteQp;
    remoteQkey = qkey;
    return this;
  }

  /** Adds a scatter/gather element: an address in the region's address space. */
  public WorkRequest sge(long address, int lengthBytes, int lkey) {
    sgList.add(address, lengthBytes, lkey);
    return this;
  }

  /** Adds a scatter/gather element: {@code lengthBytes} bytes from {@code offset} of {@code mr}. */
  public WorkRequest sge(MemoryRegion mr, long offset, int lengthBytes) {
    Check.given("mr", mr);
    return sge(mr.addr() + offset, lengthBytes, mr.lkey());
  }

  /**
   * Sends a copy of these bytes, which posting makes; they need not be registered. Implies INLINE. Further calls append more bytes to the message.
   */
  public WorkRequest inline(MemorySegment data) {
    Check.given("data", data);
    if (inlineCount == inlineData.length) {
      inlineData = Arrays.copyOf(inlineData, 2 * inlineCount);
    }
    inlineData[inlineCount++] = data;
    flags |= SendFlags.INLINE;
    return this;
  }

  private void clearInline() {
    for (; inlineCount > 0; inlineCount--) {
      inlineData[inlineCount - 1] = null;
    }
  }

  /** The number of bytes of inline data. */
  public long inlineBytes() {
    long bytes = 0;
    for (int i = 0; i < inlineCount; i++) {
      bytes += inlineData[i].byteSize();
    }
    return bytes;
  }

  public WorkRequest wrId(long id) {
    wrId = id;
    return this;
  }

  public WorkRequest signaled() {
    flags |= SendFlags.SIGNALED;
    return this;
  }

  public WorkRequest solicited() {
    flags |= SendFlags.SOLICITED;
    return this;
  }

  /** Waits until all earlier RDMA Reads and atomics of this queue have completed. */
  public WorkRequest fence() {
    flags |= SendFlags.FENCE;
    return this;
  }

  /** Adds {@link SendFlags} bits to those already set. */
  public WorkRequest flags(int bits) {
    flags |= bits;
    return this;
  }

  /** The scatter/gather elements, for the code that posts this. */
  public SgList sgList() {
    return sgList;
  }

  public long wrId() {
    return wrId;
  }

  public WrOpcode opcode() {
    return opcode;
  }

  /** {@link SendFlags} bits. */
  public int flags() {
    return flags;
  }

  public long remoteAddr() {
    return remoteAddr;
  }

  public int rkey() {
    return rkey;
  }

  /** The immediate value; for a FLUSH, its types and level. */
  public int immData() {
    return immData;
  }

  /** The value that an atomic compares with or adds. */
  public long compareAdd() {
    return compareAdd;
  }

  public long swap() {
    return swap;
  }

  /** The key to invalidate, here or at the peer. */
  public int invalidateRkey() {
    return invalidateRkey;
  }

  public MwBind bind() {
    return bind;
  }

  /** The number of bytes that a FLUSH covers. */
  public int flushLength() {
    return flushLength;
  }

  /** The destination of a datagram, or null. */
  public AddressHandle addressHandle() {
    return addressHandle;
  }

  public int remoteQpNum() {
    return remoteQpNum;
  }

  public int remoteQkey() {
    return remoteQkey;
  }

  /** The number of pieces of inline data. */
  public int inlineCount() {
    return inlineCount;
  }

  public MemorySegment inlineData(int piece) {
    return inlineData[piece];
  }
}
