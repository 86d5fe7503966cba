package dev.weft.hca.transport;

import dev.weft.hca.completion.QueueSlots;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The send ring of a queue pair. Posting threads fill it under the lock of the queue; the hardware thread empties it. Counters
 * only grow; a slot is {@code counter & mask}. At most {@code depth} requests have slots that are not free again ({@link QueueSlots}).
 */
public final class SendQueue {
  private static final VarHandle HEAD;

  static {
    try {
      HEAD = MethodHandles.lookup().findVarHandle(SendQueue.class, "head", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final int depth;
  final QueueSlots room = new QueueSlots();
  private final int mask;
  private final SendWqe[] slots;
  /** The first posted request that is not completed; the hardware thread writes it. */
  private volatile long head;
  /** The next request to post; posting threads write it under the lock. */
  private volatile long tail;
  /** The value of {@link QueueSlots#freed} last seen by posting threads; guarded by the lock. */
  private long freed;

  /** Creates a queue whose requests keep their inline data in {@code inline}, which has {@link #inlineBytes} bytes. */
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

  /** Returns the size in bytes of the memory for the inline data of {@code depth} requests. */
  public static long inlineBytes(int depth, int inlineBytes) {
    return Math.max(8L, (long) slots(depth) * inlineBytes);
  }

  /** Whether no slot is free. The caller must hold the lock. */
  boolean isFull() {
    if (tail - freed < depth) {
      return false;
    }
    freed = room.freed();
    return tail - freed >= depth;
  }

  /** The number of slots in use: of requests that are not completed, or whose completion, or a later one, was not polled. Any thread. */
  int taken() {
    return (int) (tail - room.freed());
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

  /** Makes the slot at {@code tail()} visible to the hardware thread. The caller must hold the lock. */
  void publish() {
    tail = tail + 1;
  }

  /** Marks all requests before {@code counter} as completed. Hardware thread. */
  void complete(long counter) {
    HEAD.setRelease(this, counter);
  }

  /** Drops all requests before {@code counter} without completions. Hardware thread. */
  void forget(long counter) {
    complete(counter);
    room.forget(counter);
  }

  /** The number of requests that are posted and not completed. */
  int size() {
    return (int) (tail - head);
  }
}
