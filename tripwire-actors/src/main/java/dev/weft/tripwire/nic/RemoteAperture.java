package dev.weft.tripwire.nic;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Memory of another host, mapped here (CLAN, section 3.2). Stores leave in the order in which they were made, whatever their targets (PRAM
 * consistency, section 2.1). A store has no answer. If one is refused or lost, the mapping fails in bounded time, see {@link #status} and
 * {@link #cause}.
 *
 * <p>Any thread. While the NIC has no room, a store waits, as on a processor. On the hardware thread it returns false instead, and nothing was
 * stored.
 */
public interface RemoteAperture {
  Descriptor descriptor();

  long length();

  /** Whether stores through it reach all members of a group. It cannot be read. */
  boolean isMulticast();

  /** OK, or why the mapping can no longer be used. */
  Status status();

  /** Describes why the mapping can no longer be used; empty while it can. */
  String cause();

  /** Stores bytes; returns false if the hardware thread finds no room. */
  boolean write(long offset, MemorySegment source, long sourceOffset, int count);

  /** Stores 32 bits in the byte order of this machine. */
  boolean writeInt(long offset, int value);

  /** Stores 64 bits in the byte order of this machine. */
  boolean writeLong(long offset, long value);

  /**
   * Reads bytes into memory of this host.
   *
   * @param done called once on the hardware thread, with OK when all bytes are there, otherwise with the reason
   * @throws NicException EXHAUSTED if too many reads are outstanding; INVALID for memory that cannot be written
   */
  void read(long offset, MemorySegment target, long targetOffset, int count, Consumer<Status> done);

  /** Unmaps it; earlier stores still leave. */
  void unmap();
}
