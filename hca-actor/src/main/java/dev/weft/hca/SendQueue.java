package dev.weft.hca;

import java.lang.foreign.MemorySegment;

/**
 * The send ring of a queue pair: filled by posting threads under the lock of the queue, emptied by the hardware thread. Counters
 * only grow; a slot is {@code counter & mask}. Bound: {@code depth} requests that are posted and not yet completed.
 */
final class SendQueue {
  final int depth;
  private final int mask;
  private final SendWqe[] slots;
  /** First posted and not yet completed; written by the hardware thread. */
  private volatile long head;
  /** Next to be posted; written by posting threads under the lock. */
  private volatile long tail;

  /** A queue whose requests keep their inline data in {@code inline}, which holds {@link #inlineBytes}. */
  SendQueue(int depth, int inlineBytes, MemorySegment inline) {
    this.depth = depth;
    int size = slots(depth);
    mask = size - 1;
    slots = new SendWqe[size];
    for (int i = 0; i < size; i++) {
      slots[i] = new SendWqe(inline.asSlice((long) i * inlineBytes, inlineBytes));
    }
  }

  private static int slots(int depth) {
    return Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
  }

  /** Bytes of memory for inline data of so many requests. */
  static long inlineBytes(int depth, int inlineBytes) {
    return Math.max(8L, (long) slots(depth) * inlineBytes);
  }

  boolean isFull() {
    return tail - head >= depth;
  }

  SendWqe slot(long counter) {
    return slots[(int) counter & mask];
  }

  long head() {
    return head;
  }

  long tail() {
    return tail;
  }

  /** Makes the slot at {@code tail()} visible to the hardware thread. Caller holds the lock. */
  void publish() {
    tail = tail + 1;
  }

  /** Frees all slots before {@code counter}. Hardware thread. */
  void free(long counter) {
    head = counter;
  }

  int size() {
    return (int) (tail - head);
  }
}
