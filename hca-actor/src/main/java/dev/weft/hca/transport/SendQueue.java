package dev.weft.hca.transport;

import dev.weft.hca.completion.QueueSlots;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The send ring of a queue pair: filled by posting threads under the lock of the queue, emptied by the hardware thread. Counters
 * only grow; a slot is {@code counter & mask}. Bound: {@code depth} requests that are posted and whose slots have not come back
 * ({@link QueueSlots}).
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
  /** First posted and not yet completed; written by the hardware thread. */
  private volatile long head;
  /** Next to be posted; written by posting threads under the lock. */
  private volatile long tail;
  /** What posting threads know of {@link QueueSlots#freed}; under the lock. */
  private long freed;

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
  public static long inlineBytes(int depth, int inlineBytes) {
    return Math.max(8L, (long) slots(depth) * inlineBytes);
  }

  /** Caller holds the lock. */
  boolean isFull() {
    if (tail - freed < depth) {
      return false;
    }
    freed = room.freed();
    return tail - freed >= depth;
  }

  /** Slots that are taken: of requests not completed, or whose completion, or a later one, was not polled. Any thread. */
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

  /** Makes the slot at {@code tail()} visible to the hardware thread. Caller holds the lock. */
  void publish() {
    tail = tail + 1;
  }

  /** All requests before {@code counter} are completed. Hardware thread. */
  void complete(long counter) {
    HEAD.setRelease(this, counter);
  }

  /** All requests before {@code counter} are forgotten without completions. Hardware thread. */
  void forget(long counter) {
    complete(counter);
    room.forget(counter);
  }

  /** Requests that are posted and not completed. */
  int size() {
    return (int) (tail - head);
  }
}
