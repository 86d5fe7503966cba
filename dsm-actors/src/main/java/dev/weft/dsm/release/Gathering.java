package dev.weft.dsm.release;

import dev.weft.dsm.wire.DsmMessage;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.LongSupplier;

/** Puts differences and contents into batches and sends them. When all slots are in use, it continues later. Used in the receive context. */
final class Gathering {
  /** The content of a minipage for a node that has asked for it; {@code done} bytes are sent. */
  private static final class Content {
    final ReleasePage page;
    final int to;
    final int round;
    int done;

    Content(ReleasePage page, int to, int round) {
      this.page = page;
      this.to = to;
      this.round = round;
    }
  }

  private static final int LEAST_ROOM = 64;

  private final MemorySegment frames;
  private final Staging staging;
  private final ReleasePort port;
  private final GroupSends group;
  private final LongSupplier others;
  private final ArrayDeque<Content> contents = new ArrayDeque<>();
  /** The position in the minipage that is being gathered, and whether some of it had changed. */
  private int position;
  private boolean changed;
  private long batches;
  private long batchBytes;
  private long copies;
  /** The last batch of the earlier passes, and whether the present pass waits until that batch has reached its receivers. */
  private long earlierSeq;
  private boolean waits;

  Gathering(MemorySegment frames, Staging staging, ReleasePort port, GroupSends group, LongSupplier others) {
    this.frames = frames;
    this.staging = staging;
    this.port = port;
    this.group = group;
    this.others = others;
  }

  boolean isAtBegin() {
    return position == 0;
  }

  void atBegin() {
    position = 0;
    changed = false;
  }

  boolean hasChanged() {
    return changed;
  }

  /** Number of the last batch, including an open one. */
  long lastSeq() {
    return staging.lastSeq() + (staging.isOpen() ? 1 : 0);
  }

  /** Whether differences can be gathered now. */
  boolean canGoOn() {
    return staging.hasRoom() && !waits;
  }

  /** All differences of a pass are gathered. */
  void onPassDone() {
    seal();
    earlierSeq = staging.lastSeq();
  }

  /**
   * Gathers the differences of a minipage from the present position on. False if there is no room, or if batches of an earlier pass must arrive
   * first; the caller must then call it again.
   */
  boolean differences(ReleasePage page) {
    long receivers = page.copies & others.getAsLong();
    waits = false;
    while (position < page.bytes) {
      int from = Differences.next(frames, page.at, page.twin, position, page.bytes, page.elementBytes);
      position = from;
      if (from == page.bytes) {
        break;
      }
      int end = Differences.end(frames, page.at, page.twin, from, page.bytes, page.bytes, page.elementBytes);
      if (end == from) {
        continue; // A thread has restored the old value meanwhile.
      }
      changed = true;
      if (receivers == 0) {
        position = end;
        renew(page, from, position);
      } else {
        waits = mustWait(receivers);
        if (waits || !tryOpen(receivers)) {
          return false;
        }
        position = Math.min(end, from + (staging.room() & -8));
        put(page, from, position);
      }
    }
    return true;
  }

  /** Updates the twin only, because no other node has a copy. */
  private void renew(ReleasePage page, int from, int to) {
    for (int i = from; i < to; i += page.elementBytes) {
      Differences.store(page.twin, i, page.elementBytes, Differences.get(frames, page.at + i, page.elementBytes));
    }
  }

  private void put(ReleasePage page, int from, int to) {
    long data = staging.entry(page.minipage, 0, from, to - from);
    for (int i = from; i < to; i += page.elementBytes) {
      long value = Differences.get(frames, page.at + i, page.elementBytes);
      Differences.store(page.twin, i, page.elementBytes, value);
      Differences.store(frames, data + i - from, page.elementBytes, value);
    }
  }

  /**
   * Batches on one connection stay in order. Batches to the group may arrive in any order, so an element that changes again must not be in two of
   * them at once.
   */
  boolean mustWait(long receivers) {
    return staging.doneSeq() < earlierSeq && (group.isPending() || group.byGroup(receivers) != 0);
  }

  private boolean tryOpen(long receivers) {
    if (staging.isOpen() && (staging.receivers() != receivers || staging.room() < LEAST_ROOM)) {
      seal();
    }
    return staging.isOpen() || staging.tryOpen(receivers);
  }

  /** A node wants the content of a minipage. */
  void addContent(ReleasePage page, int to, int round) {
    contents.add(new Content(page, to, round));
  }

  /** Sends as much content as there is room for. */
  void contents() {
    for (Content next = contents.peek(); next != null; next = contents.peek()) {
      while (!next.page.isFreed && next.done < next.page.bytes) {
        if (!tryOpen(1L << next.to)) {
          return;
        }
        int bytes = Math.min(staging.room() & -8, next.page.bytes - next.done);
        long data = staging.entry(next.page.minipage, next.round, next.done, bytes);
        for (int i = 0; i < bytes; i += next.page.elementBytes) {
          Differences.store(frames, data + i, next.page.elementBytes, next.page.told(frames, next.done + i));
        }
        next.done += bytes;
      }
      contents.poll();
    }
  }

  /**
   * Sends the open batch, if there is one. Listening nodes get it by the group, if there are enough of them. Other nodes get the data first, then on
   * the same queue pair the message that says where it is.
   */
  void seal() {
    if (!staging.isOpen()) {
      return;
    }
    long offset = staging.openOffset();
    int bytes = staging.filled();
    long receivers = staging.receivers();
    long seq = staging.seal();
    batches++;
    batchBytes += bytes;
    copies += Long.bitCount(receivers);
    for (long left = receivers & ~group.send(seq, offset, bytes, receivers); left != 0; left &= left - 1) {
      int node = Long.numberOfTrailingZeros(left);
      port.write(offset, bytes, node);
      port.send(node, new DsmMessage.Updates(seq, offset, bytes));
    }
  }

  void onNodeLost(int node) {
    contents.removeIf(content -> content.to == node);
  }

  long batches() {
    return batches;
  }

  long batchBytes() {
    return batchBytes;
  }

  long copies() {
    return copies;
  }
}
