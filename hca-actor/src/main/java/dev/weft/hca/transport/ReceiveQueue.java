package dev.weft.hca.transport;

import dev.weft.hca.completion.QueueSlots;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.SgList;

/**
 * The receive ring of a queue pair. Posting threads fill it under a lock; the hardware thread empties it in order. It holds at most {@code depth}
 * requests.
 */
final class ReceiveQueue implements ReceiveSource {
  /** One posted receive. */
  static final class Wqe {
    final SgList sgList = new SgList();
    Mr[] regions = new Mr[1];
    long wrId;
    long length;
  }

  final int depth;
  /** The slots of a queue pair's own queue. Unused in a shared queue, whose slots become free when a message takes them. */
  final QueueSlots room = new QueueSlots();
  private final int mask;
  private final Wqe[] slots;
  private volatile long head;
  private volatile long tail;

  ReceiveQueue(int depth) {
    this.depth = depth;
    int size = Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
    mask = size - 1;
    slots = new Wqe[size];
    for (int i = 0; i < size; i++) {
      slots[i] = new Wqe();
    }
  }

  boolean isFull() {
    return tail - head >= depth;
  }

  /** Whether a queue pair's own queue has no free slot; its slots become free when completions are polled. The caller must hold the lock. */
  boolean isTaken() {
    return taken() >= depth;
  }

  int taken() {
    return (int) (tail - room.freed());
  }

  long head() {
    return head;
  }

  @Override
  public boolean isEmpty() {
    return tail == head;
  }

  int size() {
    return (int) (tail - head);
  }

  /** Copies the request into the next slot. The caller must hold the lock and must have checked {@link #isFull}. */
  void post(ReceiveRequest request) {
    Wqe wqe = slots[(int) tail & mask];
    wqe.wrId = request.wrId();
    wqe.sgList.copyFrom(request.sgList());
    wqe.length = wqe.sgList.totalBytes();
    tail = tail + 1;
  }

  /** Returns the oldest posted receive, or null. Hardware thread. */
  Wqe peek() {
    return isEmpty() ? null : slots[(int) head & mask];
  }

  /** Frees the slot of {@link #peek}. Hardware thread. */
  void remove() {
    head = head + 1;
  }

  /** Takes out the oldest posted receive and leaves {@code spare} in its slot. Returns null and changes nothing if there is none. */
  Wqe exchange(Wqe spare) {
    if (isEmpty()) {
      return null;
    }
    int slot = (int) head & mask;
    Wqe taken = slots[slot];
    slots[slot] = spare;
    head = head + 1;
    return taken;
  }

  /** Moves all posted receives to an empty queue with room for them. Hardware thread; the caller must hold the lock. */
  void moveTo(ReceiveQueue other) {
    while (!isEmpty()) {
      int to = (int) other.tail & other.mask;
      other.slots[to] = exchange(other.slots[to]);
      other.tail = other.tail + 1;
    }
  }

  @Override
  public Wqe take() {
    return peek();
  }

  @Override
  public void done() {
    remove();
  }

  @Override
  public void awaitPost() {
    // Nothing to do: posting threads check Qp.rnrOwed.
  }

  @Override
  public Wqe nextToFlush() {
    return peek();
  }

  @Override
  public void discard() {
    while (!isEmpty()) {
      remove();
    }
    room.forget(head);
  }
}
