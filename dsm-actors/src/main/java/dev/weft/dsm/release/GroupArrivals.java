package dev.weft.dsm.release;

import dev.weft.dsm.wire.DsmMessage;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/**
 * Batches of other nodes that arrive in parts, by datagrams. Each part is copied to its place in the batch, and a complete batch is applied. After
 * this node has reported a missing part, it drops late parts: only the sender writes there then, and the answer follows the sender's RDMA Write. Used
 * in the receive context.
 */
final class GroupArrivals {
  /** Applies a batch that is in the frames. */
  interface Taker {
    void take(int from, long begin, long end);
  }

  private enum State {
    COMING,
    ASKED_FOR,
    TAKEN
  }

  /** The last batch in one slot of another node. */
  private static final class Slot {
    final BitSet has = new BitSet();
    State state = State.TAKEN;
    long seq;
    int bytes;
    int cut;
    int left;
  }

  private final int self;
  private final MemorySegment frames;
  private final Staging staging;
  private final ReleasePort port;
  private final GroupPort group;
  private final Taker taker;
  private final Slot[] slots = new Slot[Staging.NODES_MAX * Staging.SLOTS];
  private long placed;
  private long dropped;

  GroupArrivals(int self, MemorySegment frames, Staging staging, ReleasePort port, GroupPort group, Taker taker) {
    this.self = self;
    this.frames = frames;
    this.staging = staging;
    this.port = port;
    this.group = group;
    this.taker = taker;
  }

  private Slot slot(int from, int number) {
    int index = from * Staging.SLOTS + number;
    if (slots[index] == null) {
      slots[index] = new Slot();
    }
    return slots[index];
  }

  /** Handles a datagram: its header, and where its data is. */
  void onPart(Part part, MemorySegment buffer, long offset) {
    if ((part.receivers() & 1L << self) == 0 || part.sender() == self || part.bytes() > staging.slotBytes()) {
      return; // Belongs to a batch that is not for this node.
    }
    Slot slot = slot(part.sender(), part.slot());
    if (isLater(part.seq(), slot.seq) && slot.state == State.TAKEN) {
      begin(part, slot);
    }
    if (!isMissing(part, slot)) {
      dropped++;
      return;
    }
    long place = staging.offsetOf(part.sender(), part.slot());
    MemorySegment.copy(buffer, offset, frames, place + part.at(), part.length());
    placed++;
    slot.has.set(part.at() / part.cut());
    slot.left--;
    if (isWhole(slot.left)) {
      take(part.sender(), slot, part.seq(), place, part.bytes());
    }
  }

  /** A sender reuses a slot only when all receivers of the earlier batch have answered, this node among them. */
  static boolean isLater(long seq, long last) {
    return seq > last;
  }

  private static void begin(Part part, Slot slot) {
    slot.seq = part.seq();
    slot.state = State.COMING;
    slot.bytes = part.bytes();
    slot.cut = part.cut();
    slot.left = (part.bytes() + part.cut() - 1) / part.cut();
    slot.has.clear();
  }

  private static boolean isMissing(Part part, Slot slot) {
    return slot.state == State.COMING && part.seq() == slot.seq && part.bytes() == slot.bytes && part.cut() == slot.cut
        && !slot.has.get(part.at() / part.cut());
  }

  static boolean isWhole(int missing) {
    return missing == 0;
  }

  private void take(int from, Slot slot, long seq, long offset, int bytes) {
    slot.seq = seq;
    slot.state = State.TAKEN;
    taker.take(from, offset, offset + bytes);
    port.send(from, new DsmMessage.UpdatesTaken(seq));
  }

  /** A whole batch has arrived on the connection. */
  void onUpdates(int from, DsmMessage.Updates updates) {
    staging.check(from, updates.offset(), updates.bytes());
    take(from, slot(from, staging.slotOf(from, updates.offset())), updates.seq(), updates.offset(), updates.bytes());
  }

  /** The sender waits for the answer. Handles datagrams that have arrived first; treats missing parts as lost. */
  void onSent(int from, DsmMessage.UpdatesSent sent) {
    staging.check(from, sent.offset(), sent.bytes());
    group.drain();
    Slot slot = slot(from, staging.slotOf(from, sent.offset()));
    if (slot.seq > sent.seq() || slot.seq == sent.seq() && slot.state == State.TAKEN) {
      return; // The answer has arrived or is on its way: datagrams of later batches may overtake the question.
    }
    slot.seq = sent.seq();
    slot.state = State.ASKED_FOR;
    port.send(from, new DsmMessage.UpdatesMissing(sent.seq()));
  }

  /** Number of datagrams whose data was copied to its place. */
  long placed() {
    return placed;
  }

  /** Number of datagrams that came twice or too late. */
  long dropped() {
    return dropped;
  }
}
