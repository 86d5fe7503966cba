package dev.weft.dsm;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * The common operations of shared arrays of all types. Programs compute in place by plain loads and stores, and give hints about what they will need.
 *
 * <p>{@link #readInPlace} and {@link #writeInPlace} wait until this node has the minipages of a range of elements, and hold them until the call
 * returns. Other nodes that want these minipages wait no longer than that. To other nodes the call is one step. Other threads of this node are not
 * kept out: use a lock where that matters. Element {@code index} of the array is at offset 0 of the segment, in native byte order. Cost: a check for
 * each minipage, and some 50 ns.
 *
 * <p>The segment is valid only during the call: a later access throws {@link IllegalStateException}, and an access by another thread
 * {@link WrongThreadException}. During the call the thread can use shared memory in no other way: any operation that has to wait or to hold something
 * throws {@link IllegalStateException}, because other nodes may wait for the minipages that this call holds. An exception of {@code use} reaches the
 * caller; stores before it remain.
 *
 * <p>In an application by page protection the range is not held: other nodes may see a part of it. Where its minipages do not fill pages, stores of
 * other nodes to it may be lost meanwhile.
 *
 * <p>With release consistency the range is not held either: updates of other nodes may arrive during the call. Store whole elements only: if two
 * nodes write parts of one element, one of the writes is lost.
 *
 * <p>All methods throw {@link NodeLostException}, {@link IllegalStateException} and {@link IndexOutOfBoundsException} as reads and writes of many
 * elements do, before they call {@code use}.
 */
public interface SharedArray {
  /** Number of elements. */
  long length();

  /**
   * Calls {@code use} to read {@code count} elements from {@code index} on in place; no other node changes them meanwhile. The segment is read-only.
   * With a count of 0, {@code use} is not called.
   */
  void readInPlace(long index, long count, Consumer<? super MemorySegment> use);

  /**
   * Calls {@code use} to read and write {@code count} elements from {@code index} on in place; no other node sees or changes them meanwhile. With a
   * count of 0, {@code use} is not called.
   */
  void writeInPlace(long index, long count, Consumer<? super MemorySegment> use);

  /** Requests readable copies of the minipages of {@code count} elements, without waiting. A hint: dropped if too many requests wait. */
  void prefetch(long index, long count);

  /** Gives all nodes readable copies of the minipages of {@code count} elements, without waiting. A hint: dropped if too many requests wait. */
  void push(long index, long count);
}
