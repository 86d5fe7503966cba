package dev.weft.dsm;

/**
 * An array of ints in shared memory. Any thread. Single reads and writes are sequentially consistent. A read or write of several elements is one step
 * for other nodes, but many steps for other threads of this node. An index outside of the array causes an {@link IndexOutOfBoundsException}.
 *
 * <p>Cost: a read of an element that this node has a copy of is a check and a load. A write of an element that only this node has is a fenced store
 * and two more stores. Any other access is a fault: the thread waits for messages between nodes. {@link #read} and {@link #write} check once for each
 * minipage and copy the elements; {@link #readInPlace} and {@link #writeInPlace} do not copy.
 *
 * <p>All methods throw {@link NodeLostException} if a lost node had the only copy, or if the minipage's home was lost while this thread waited. They
 * throw {@link IllegalStateException} after {@link SharedSpace#free}, after this node has left, or if the thread is interrupted while it waits. After
 * an interrupt, a single access was not done; an access to several elements was done in part or not at all.
 */
public interface SharedInts extends SharedArray {
  /** Reads one element. */
  int get(long index);

  /** Writes one element. */
  void set(long index, int value);

  /** Adds to one element atomically; returns the value before. */
  int getAndAdd(long index, int delta);

  /** Writes one element atomically if its value is {@code expected}; returns whether it did. */
  boolean compareAndSet(long index, int expected, int value);

  /** Copies {@code count} elements from {@code index} on into {@code to}, from {@code at} on. No other node changes the elements meanwhile. */
  void read(long index, int[] to, int at, int count);

  /**
   * Copies {@code count} elements of {@code from}, from {@code at} on, to {@code index} and following. No other node sees or changes the elements
   * meanwhile.
   */
  void write(long index, int[] from, int at, int count);
}
