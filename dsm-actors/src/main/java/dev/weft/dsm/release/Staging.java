package dev.weft.dsm.release;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;

/**
 * Batches of updates on their way. Each node has a part of every node's frames, at the same offset, after the shared memory. A node writes its
 * batches into its part of its own frames; they arrive in its part of the other nodes' frames. A part has slots. A slot is free again when all
 * receivers have taken its batch.
 *
 * <p>An entry of a batch has four fields of 4 bytes: minipage; 0 or the number of the question that it answers; offset in the minipage; bytes. The
 * data follows, padded to a multiple of 8.
 */
final class Staging {
  static final int NODES_MAX = 64;
  static final int HEADER_BYTES = 16;
  static final int SLOTS = 8;
  private static final int PART_BYTES_MIN = 4096;
  private static final int PART_BYTES_MAX = 1 << 18;
  /** A node's part is the shared memory divided by this. */
  private static final int SHARE = 512;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** A batch that was sent; {@code pending} are bits of the nodes that have not confirmed it yet. */
  static final class Batch {
    final long seq;
    final int slot;
    long pending;

    Batch(long seq, int slot, long pending) {
      this.seq = seq;
      this.slot = slot;
      this.pending = pending;
    }
  }

  private final MemorySegment frames;
  private final long base;
  private final int partBytes;
  private final int slotBytes;
  private final int self;
  private final ArrayDeque<Batch> sent = new ArrayDeque<>();
  private int freeSlots = (1 << SLOTS) - 1;
  private long lastSeq;
  /** The slot that is being filled, -1 if there is none; its filled bytes, and its receivers. */
  private int open = -1;
  private int filled;
  private long receivers;

  Staging(MemorySegment frames, long memoryBytes, int self) {
    this.frames = frames;
    this.base = memoryBytes;
    this.self = self;
    partBytes = partBytes(memoryBytes);
    slotBytes = slotBytes(memoryBytes);
  }

  private static int partBytes(long memoryBytes) {
    return Math.clamp(memoryBytes / SHARE, PART_BYTES_MIN, PART_BYTES_MAX) & -PART_BYTES_MIN;
  }

  /** Bytes that the frames need after that much shared memory. */
  static long bytes(long memoryBytes) {
    return (long) NODES_MAX * partBytes(memoryBytes);
  }

  /** Size of the longest batch in bytes, for this size of shared memory. */
  static int slotBytes(long memoryBytes) {
    return partBytes(memoryBytes) / SLOTS;
  }

  // Outgoing batches.

  boolean hasRoom() {
    return freeSlots != 0;
  }

  boolean isOpen() {
    return open >= 0;
  }

  long receivers() {
    return receivers;
  }

  /** Begins a batch for these nodes; returns false if all slots are in use. */
  boolean tryOpen(long nodes) {
    if (freeSlots == 0) {
      return false;
    }
    open = Integer.numberOfTrailingZeros(freeSlots);
    freeSlots &= ~(1 << open);
    filled = 0;
    receivers = nodes;
    return true;
  }

  /** Bytes of data that fit into one more entry of the open batch. */
  int room() {
    return Math.max(0, slotBytes - filled - HEADER_BYTES);
  }

  /** Adds the header of an entry; returns the offset of its data in the frames. */
  long entry(int minipage, int question, int offset, int bytes) {
    long at = openOffset() + filled;
    frames.set(INT, at, minipage);
    frames.set(INT, at + 4, question);
    frames.set(INT, at + 8, offset);
    frames.set(INT, at + 12, bytes);
    filled += HEADER_BYTES + (bytes + 7 & -8);
    return at + HEADER_BYTES;
  }

  /** Offset of a slot of a node's part in the frames. */
  long offsetOf(int node, int slot) {
    return base + (long) node * partBytes + (long) slot * slotBytes;
  }

  /** The slot of a node's part at this offset. */
  int slotOf(int node, long offset) {
    return (int) ((offset - offsetOf(node, 0)) / slotBytes);
  }

  int slotBytes() {
    return slotBytes;
  }

  /** Offset of the open batch in the frames. */
  long openOffset() {
    return offsetOf(self, open);
  }

  int filled() {
    return filled;
  }

  /** Closes the open batch, which is sent now; returns its number. */
  long seal() {
    sent.add(new Batch(++lastSeq, open, receivers));
    open = -1;
    return lastSeq;
  }

  long lastSeq() {
    return lastSeq;
  }

  /** The number up to which all batches have reached all their receivers. */
  long doneSeq() {
    return sent.isEmpty() ? lastSeq : sent.peek().seq - 1;
  }

  /** Bits of the nodes that have not confirmed a batch yet. */
  long pending(long seq) {
    for (Batch batch : sent) {
      if (batch.seq == seq) {
        return batch.pending;
      }
    }
    return 0;
  }

  /** A node has taken a batch. */
  void onAck(int from, long seq) {
    if (seq < 1 || seq > lastSeq) {
      throw new IllegalArgumentException("batch " + seq + " was never sent");
    }
    for (Batch batch : sent) {
      if (batch.seq == seq) {
        taken(batch, 1L << from);
      }
    }
    dropDone();
  }

  /** A node is lost: its confirmations are not expected any more. */
  void onNodeLost(int node) {
    sent.forEach(batch -> taken(batch, 1L << node));
    dropDone();
  }

  void taken(Batch batch, long bits) {
    boolean wasPending = batch.pending != 0;
    batch.pending &= ~bits;
    if (wasPending && batch.pending == 0) {
      freeSlots |= 1 << batch.slot;
    }
  }

  private void dropDone() {
    while (!sent.isEmpty() && sent.peek().pending == 0) {
      sent.poll();
    }
  }

  // Incoming batches.

  /** Refuses a batch that is not in its sender's part. */
  void check(int from, long offset, int bytes) {
    long begin = base + (long) from * partBytes;
    if (offset < begin || bytes < HEADER_BYTES || bytes > slotBytes || offset > begin + partBytes - bytes || offset % 8 != 0) {
      throw new IllegalArgumentException("a batch of " + bytes + " bytes at " + offset + " is not in the part of node " + from);
    }
  }

  int field(long at, int index) {
    return frames.get(INT, at + 4L * index);
  }
}
