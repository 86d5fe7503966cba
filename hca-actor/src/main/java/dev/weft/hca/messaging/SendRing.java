package dev.weft.hca.messaging;

import dev.weft.hca.verbs.WcStatus;

/**
 * Books of one send queue: which buffers are free, and which work requests are posted in which order. A completion of one
 * request of a reliable connection says that all before it are complete too; that is how unsignaled requests give their
 * buffers back. Decision logic only.
 */
final class SendRing {
  /** Answer of {@link #reserve} when no buffer or no place in the send queue is free. */
  static final int NONE = -1;

  /** Told of each retired request that was posted with a token. */
  @FunctionalInterface
  interface Retired {
    void onRetired(long token, WcStatus status);
  }

  private final int[] freeSlots;
  private int freeCount;
  private final boolean[] reserved;
  private int reservedCount;
  private final int[] slotOf;
  private final long[] tokenOf;
  private final boolean[] notify;
  private final int signalEvery;
  private int sinceSignaled;
  private long head;
  private long tail;

  /** {@code slots} buffers and a send queue of {@code depth} requests, {@code depth >= slots >= 1}. */
  SendRing(int slots, int depth) {
    if (slots < 1 || depth < slots) {
      throw new IllegalArgumentException("slots " + slots + " and depth " + depth + ": 1 <= slots <= depth must hold");
    }
    freeSlots = new int[slots];
    for (int i = 0; i < slots; i++) {
      freeSlots[i] = slots - 1 - i;
    }
    freeCount = slots;
    reserved = new boolean[slots];
    slotOf = new int[depth];
    tokenOf = new long[depth];
    notify = new boolean[depth];
    signalEvery = Math.max(1, slots / 4);
  }

  int depth() {
    return slotOf.length;
  }

  int posted() {
    return (int) (tail - head);
  }

  /** Requests that are over. */
  long retired() {
    return head;
  }

  int freeBuffers() {
    return freeCount;
  }

  int reservedBuffers() {
    return reservedCount;
  }

  /** Places in the send queue that are neither taken nor promised to a reserved buffer. */
  int room() {
    return slotOf.length - posted() - reservedCount;
  }

  /** A buffer together with a place in the send queue, or {@link #NONE}. */
  int reserve() {
    if (freeCount == 0 || room() <= 0) {
      return NONE;
    }
    int slot = freeSlots[--freeCount];
    reserved[slot] = true;
    reservedCount++;
    return slot;
  }

  /** Gives back a reserved buffer unsent. */
  void cancel(int slot) {
    takeReservation(slot);
    freeSlots[freeCount++] = slot;
  }

  private void takeReservation(int slot) {
    if (slot < 0 || slot >= reserved.length || !reserved[slot]) {
      throw new IllegalStateException("buffer " + slot + " of " + reserved.length + " is not reserved");
    }
    reserved[slot] = false;
    reservedCount--;
  }

  /** Books a send of a reserved buffer; returns its sequence number. */
  long addSend(int slot, boolean wantsNotice, long token) {
    takeReservation(slot);
    return add(slot, wantsNotice, token);
  }

  /** Books a request without a buffer; {@link #room} must be positive. */
  long addTransfer(boolean wantsNotice, long token) {
    if (room() <= 0) {
      throw new IllegalStateException("send queue of " + slotOf.length + " requests is full");
    }
    return add(NONE, wantsNotice, token);
  }

  private long add(int slot, boolean wantsNotice, long token) {
    int at = (int) (tail % slotOf.length);
    slotOf[at] = slot;
    notify[at] = wantsNotice;
    tokenOf[at] = token;
    return tail++;
  }

  /** Whether the request just booked must be signaled, because its owner asks or because it is time to clean up. */
  boolean signal(boolean asked) {
    if (asked || ++sinceSignaled >= signalEvery) {
      sinceSignaled = 0;
      return true;
    }
    return false;
  }

  /**
   * A completion of request {@code sequence} arrived: it has {@code status}, all before it succeeded. A sequence number
   * that is not outstanding is a mistake of the caller.
   */
  void retire(long sequence, WcStatus status, Retired retired) {
    if (sequence < head || sequence >= tail) {
      throw new IllegalStateException("request " + sequence + " is not outstanding, " + head + " to " + (tail - 1) + " are");
    }
    while (head <= sequence) {
      int at = (int) (head % slotOf.length);
      WcStatus own = head == sequence ? status : WcStatus.SUCCESS;
      head++;
      if (slotOf[at] != NONE) {
        freeSlots[freeCount++] = slotOf[at];
      }
      if (notify[at]) {
        retired.onRetired(tokenOf[at], own);
      }
    }
  }
}
