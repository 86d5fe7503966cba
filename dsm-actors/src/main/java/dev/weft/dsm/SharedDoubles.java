package dev.weft.dsm;

/**
 * An array of doubles in shared memory. Single reads and writes are sequentially consistent, those of several elements are one
 * step for other nodes, and many for other threads of this node. Any thread. An index outside of the array is an {@link IndexOutOfBoundsException}.
 *
 * <p>Cost: a read of what this node has a copy of is a check and a load, a write of what it has alone is a fenced store and two more stores;
 * anything else is a fault, which takes messages between nodes and waits for them. {@link #read} and {@link #write} check once for each
 * minipage and copy; {@link #readInPlace} and {@link #writeInPlace} do not copy.
 *
 * <p>All throw {@link NodeLostException} if the only copy was on a node that was lost, or the node that knows who has it was lost while this
 * thread waited; {@link IllegalStateException} after {@link SharedSpace#free} or where this node has left.
 */
public interface SharedDoubles extends SharedArray {
  /** Reads one element. */
  double get(long index);

  /** Writes one element. */
  void set(long index, double value);

  /** Adds to one element, atomically; answers what was there before. */
  double getAndAdd(long index, double delta);

  /** Copies {@code count} elements from {@code index} on into {@code to}, from {@code at} on; no other node changes them meanwhile. */
  void read(long index, double[] to, int at, int count);

  /** Copies {@code count} elements of {@code from}, from {@code at} on, to {@code index} and following; no other node sees or changes them meanwhile. */
  void write(long index, double[] from, int at, int count);
}
