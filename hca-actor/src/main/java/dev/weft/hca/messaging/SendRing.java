package dev.weft.hca.messaging;

import dev.weft.hca.verbs.WcStatus;

/**
 * Tracks one send queue: its free buffers, and the order of the posted work requests. On a reliable connection the completion of a request implies the
 * completion of all earlier ones; that frees the buffers of unsignaled requests. Decision logic only.
 */
final class SendRing {
  /** Result of {@link #reserve} when no buffer or no place in the send queue is free. */
  static final int NONE = -1;

  /** Called for each completed request that was posted with a token. */
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

  /** Creates a ring with {@code slots} buffers and a send queue of {@code depth} requests, {@code depth >= slots >= 1}. */
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

  /** The number of completed requests. */
  long retired() {
    return head;
  }

  int freeBuffers() {
    return freeCount;
  }

  int reservedBuffers() {
    return reservedCount;
  }

  /** The number of places in the send queue that are neither used nor promised to a reserved buffer. */
  int room() {
    return slotOf.length - posted() - reservedCount;
  }

  /** Reserves a buffer and a place in the send queue. Returns the buffer's number or {@link #NONE}. */
  int reserve() {
    if (freeCount == 0 || room() <= 0) {
      return NONE;
    }
    int slot = freeSlots[--freeCount];
    reserved[slot] = true;
    reservedCount++;
    return slot;
  }

  /** Releases a reserved buffer without sending it. */
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

  /** Records the send of a reserved buffer; returns its sequence number. */
  long addSend(int slot, boolean wantsNotice, long token) {
    takeReservation(slot);
    return add(slot, wantsNotice, token);
  }

  /** Records a request without a buffer; {@link #room} must be positive. */
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

  /** Whether the request just recorded must be signaled, because its owner asks for it or because buffers must be freed. */
  boolean signal(boolean asked) {
    if (asked || ++sinceSignaled >= signalEvery) {
      sinceSignaled = 0;
      return true;
    }
    return false;
  }

  /**
   * Handles the completion of request {@code sequence}. The request has {@code status}; all earlier requests have succeeded. Throws
   * IllegalStateException if the request is not outstanding.
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
