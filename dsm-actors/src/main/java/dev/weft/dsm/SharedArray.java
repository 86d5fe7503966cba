package dev.weft.dsm;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * What shared arrays of all types have: programs compute in the memory itself, by plain loads and stores, and say ahead what they need.
 *
 * <p>{@link #readInPlace} and {@link #writeInPlace} wait until this node has the minipages of a range of elements, and keep them until the call returns: other
 * nodes that want them wait so long, and no longer. To other nodes the call is one step; other threads of this node are not kept out: take a lock
 * where that matters. Element {@code index} of the array is at 0 of the segment, in native byte order. Cost: a check for each minipage, and some 50 ns.
 *
 * <p>The segment ends with the call: who has kept it gets an {@link IllegalStateException}, another thread a {@link WrongThreadException}. In the call a
 * thread can use shared memory in no other way: whatever has to wait or to hold something is an {@link IllegalStateException}, because others may wait for
 * what it holds. An exception of {@code use} goes through to the caller; what was written until then stays.
 *
 * <p>In an application by page protection the range is not held: other nodes may see a part of it, and where its minipages do not fill pages, what they write
 * to it meanwhile may get lost.
 *
 * <p>With release consistency nothing is held either: other nodes' updates may come in the middle of the call. Store whole elements only, of parts of an
 * element that two nodes write one is lost.
 *
 * <p>All throw {@link NodeLostException}, {@link IllegalStateException} and {@link IndexOutOfBoundsException} as reads and writes of many elements do,
 * before {@code use} is called.
 */
public interface SharedArray {
  /** Elements. */
  long length();

  /**
   * Lets {@code use} read {@code count} elements from {@code index} on where they are; no other node changes them meanwhile. The segment is read-only.
   * Where there are none, {@code use} is not called.
   */
  void readInPlace(long index, long count, Consumer<? super MemorySegment> use);

  /**
   * Lets {@code use} read and write {@code count} elements from {@code index} on where they are; no other node sees or changes them meanwhile. Where there
   * are none, {@code use} is not called.
   */
  void writeInPlace(long index, long count, Consumer<? super MemorySegment> use);

  /** Asks for readable copies of the minipages of {@code count} elements, without waiting for them. A hint: dropped where too many wait. */
  void prefetch(long index, long count);

  /** Gives all nodes readable copies of the minipages of {@code count} elements, without waiting for it. A hint: dropped where too many wait. */
  void push(long index, long count);
}
