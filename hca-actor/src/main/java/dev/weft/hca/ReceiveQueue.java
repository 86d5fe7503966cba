package dev.weft.hca;

/**
 * The receive ring of a queue pair: filled by posting threads under a lock, emptied in order by the hardware thread. Bound: {@code
 * depth} requests.
 */
final class ReceiveQueue {
  /** One posted receive. */
  static final class Wqe {
    final SgList sgList = new SgList();
    MemoryRegion[] regions = new MemoryRegion[1];
    long wrId;
    long length;
  }

  final int depth;
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

  boolean isEmpty() {
    return tail == head;
  }

  int size() {
    return (int) (tail - head);
  }

  /** Copies the request into the next slot. Caller holds the lock and has checked {@link #isFull}. */
  void post(ReceiveRequest request) {
    Wqe wqe = slots[(int) tail & mask];
    wqe.wrId = request.wrId;
    wqe.sgList.copyFrom(request.sgList);
    wqe.length = wqe.sgList.totalBytes();
    tail = tail + 1;
  }

  /** Oldest posted receive, or null. Hardware thread. */
  Wqe peek() {
    return isEmpty() ? null : slots[(int) head & mask];
  }

  /** Frees the slot of {@link #peek}. Hardware thread. */
  void remove() {
    head = head + 1;
  }
}
