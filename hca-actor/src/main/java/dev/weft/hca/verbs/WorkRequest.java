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
  /** Where a datagram goes, or null. */
  private AddressHandle addressHandle;
  private int remoteQpNum;
  private int remoteQkey;
  /** Sources of inline data instead of a scatter/gather list. */
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

  /** A send that also makes {@code remoteKey} of the peer invalid: the key of a type 2 window, bound through its queue pair. */
  public WorkRequest sendWithInvalidate(int remoteKey) {
    start(WrOpcode.SEND_WITH_INV).invalidateRkey = remoteKey;
    return this;
  }

  /** RDMA Write to {@code remoteAddress} of the peer, in the address space of the region that {@code remoteKey} names. */
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

  /** Atomically: if the 8-byte word there equals {@code expected}, it becomes {@code replacement}; the old value is returned. */
  public WorkRequest compareAndSwap(long remoteAddress, int remoteKey, long expected, long replacement) {
    start(WrOpcode.ATOMIC_CMP_AND_SWP).remote(remoteAddress, remoteKey);
    compareAdd = expected;
    swap = replacement;
    return this;
  }

  /** Atomically adds to the 8-byte word there; the old value is returned into the one 8-byte scatter element. */
  public WorkRequest fetchAndAdd(long remoteAddress, int remoteKey, long addend) {
    start(WrOpcode.ATOMIC_FETCH_AND_ADD).remote(remoteAddress, remoteKey);
    compareAdd = addend;
    return this;
  }

  /**
   * Writes the 8 bytes of the request at once: who reads the word there sees the former value or this one, never a mixture.
   *
   * @param remoteAddress a multiple of 8
   */
  public WorkRequest atomicWrite(long remoteAddress, int remoteKey) {
    return start(WrOpcode.ATOMIC_WRITE).remote(remoteAddress, remoteKey);
  }

  /**
   * Completes when everything that this queue wrote before it to that memory is where {@code types} says. Carries no bytes. The region
   * and the queue pair of the peer must grant each type ({@link Access#FLUSH_GLOBAL}, {@link Access#FLUSH_PERSISTENT}).
   *
   * @param lengthBytes bytes from {@code remoteAddress} on; unused with {@link FlushLevel#REGION}, as the address
   * @param types {@link FlushType} bits, at least one
   */
  public WorkRequest flush(long remoteAddress, int remoteKey, int lengthBytes, int types, FlushLevel level) {
    Check.given("level", level);
    if (lengthBytes < 0 || types == 0 || (types & ~FlushType.ALL) != 0) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "flush of " + lengthBytes + " bytes with types 0x"
          + Integer.toHexString(types) + "; want 0 bytes or more and bits of FlushType, at least one");
    }
    start(WrOpcode.FLUSH).remote(remoteAddress, remoteKey).flushLength = lengthBytes;
    immData = types | (level == FlushLevel.REGION ? Packet.FLUSH_REGION : 0);
    return this;
  }

  /** Makes {@code key} of this node invalid, in order with the other requests of the queue. */
  public WorkRequest localInvalidate(int key) {
    start(WrOpcode.LOCAL_INV).invalidateRkey = key;
    return this;
  }

  /** Binds a type 2 memory window, in order with the other requests of the queue. Type 1: {@link Hca#bindMw}. */
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
   * Where a datagram goes.
   *
   * @param remoteQp number of the queue pair there; {@link dev.weft.fabric.packet.Packet#MULTICAST_QP} for a multicast group
   * @param qkey queue key of that queue pair; with the top bit set, the sending queue pair's own is sent instead
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
   * Sends a copy of these bytes, made when the request is posted; they need not be registered. Implies INLINE. Called again, it adds: the
   * message is what all of them hold, one behind the other.
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

  /** Bytes of inline data. */
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

  /** Sets {@link SendFlags} bits in addition to those set already. */
  public WorkRequest flags(int bits) {
    flags |= bits;
    return this;
  }

  /** The elements; for who posts this. */
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

  /** The immediate value; of a FLUSH its types and level. */
  public int immData() {
    return immData;
  }

  /** What an atomic compares with or adds. */
  public long compareAdd() {
    return compareAdd;
  }

  public long swap() {
    return swap;
  }

  /** The key that is to become invalid, here or at the peer. */
  public int invalidateRkey() {
    return invalidateRkey;
  }

  public MwBind bind() {
    return bind;
  }

  /** Bytes that a FLUSH names. */
  public int flushLength() {
    return flushLength;
  }

  /** Where a datagram goes, or null. */
  public AddressHandle addressHandle() {
    return addressHandle;
  }

  public int remoteQpNum() {
    return remoteQpNum;
  }

  public int remoteQkey() {
    return remoteQkey;
  }

  /** Pieces of inline data. */
  public int inlineCount() {
    return inlineCount;
  }

  public MemorySegment inlineData(int piece) {
    return inlineData[piece];
  }
}
