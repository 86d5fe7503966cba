package dev.weft.pager.client;

import dev.weft.fabric.time.Marks;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.pager.PagerMark;
import dev.weft.pager.client.DeviceRequest.Part;
import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.Handshake.AreaName;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What a client knows of one server: credits, requests that wait for one, requests outstanding. Decision logic; parts go
 * out in the order they came. An answer names its request by slot and generation, so that a wrong one is noticed.
 */
final class ServerLink {
  private static final int GENERATION_SHIFT = 16;
  /** Changes that are remembered; a power of two. */
  private static final int CHANGES = 1024;

  final int index;
  final ServerSpec spec;
  final ArrayDeque<Part> waiting = new ArrayDeque<>();
  QueuePairChannel channel;
  Connection connection;
  /** It serves. */
  boolean isUp;
  /** Requests are answered EIO. */
  boolean isDead;
  /** The server does not hold the area any more, or is not to be spoken to: there is nothing to connect to again. */
  boolean isGone;
  /** What the server calls the area. */
  AreaName area = AreaName.NONE;
  /** Number of the attempt to connect; what is told of earlier ones does not count. */
  int attempt;
  /** Times that the connection was lost. */
  int losses;
  /** Outstanding while it is tried whether a new connection carries data. */
  DeviceRequest probe;
  /** Longest write whose data goes with the request; 0 for none. */
  int inlineBytes;
  /** Something that the area was asked to keep has been acknowledged. */
  boolean holdsData;
  String why = "";
  private Part[] outstanding = new Part[0];
  private long[] sentNs = new long[0];
  private long[] generations = new long[0];
  /** For each slot, how many requests had been sent before, and how many changes had been acknowledged. */
  private long[] orders = new long[0];
  private long[] changesBefore = new long[0];
  private long sent;
  /** The ranges of the last changes that were acknowledged. */
  private final long[] changeStarts = new long[CHANGES];
  private final long[] changeEnds = new long[CHANGES];
  private long changes;
  private int[] freeSlots = new int[0];
  private int freeCount;

  ServerLink(int index, ServerSpec spec) {
    this.index = index;
    this.spec = spec;
  }

  /** The connection is made and the server allows {@code credits} requests, 1 to 65,536. */
  void granted(int credits) {
    outstanding = new Part[credits];
    sentNs = new long[credits];
    generations = new long[credits];
    orders = new long[credits];
    changesBefore = new long[credits];
    freeSlots = new int[credits];
    for (int i = 0; i < credits; i++) {
      freeSlots[i] = credits - 1 - i;
    }
    freeCount = credits;
  }

  AreaState state() {
    return isUp ? AreaState.READY : isDead ? AreaState.LOST : AreaState.DEGRADED;
  }

  int creditsMax() {
    return outstanding.length;
  }

  int creditsFree() {
    return freeCount;
  }

  int outstandingCount() {
    return outstanding.length - freeCount;
  }

  /** Takes the first waiting part and a credit for it; returns the id to send. There must be one of each. */
  long dispatch(long nowNs) {
    int slot = freeSlots[--freeCount];
    outstanding[slot] = waiting.remove();
    sentNs[slot] = nowNs;
    orders[slot] = sent++;
    changesBefore[slot] = changes;
    return ++generations[slot] << GENERATION_SHIFT | slot;
  }

  /** The part that was sent with this id, whose credit comes back; null if none is outstanding. */
  Part take(long id) {
    int slot = (int) (id & (1 << GENERATION_SHIFT) - 1);
    if (slot >= outstanding.length || outstanding[slot] == null || generations[slot] != id >>> GENERATION_SHIFT) {
      return null;
    }
    Part part = outstanding[slot];
    outstanding[slot] = null;
    freeSlots[freeCount++] = slot;
    return part;
  }

  /** What is wrong with an answer to a wish for an area, or null. */
  String wrongWith(Handshake.Grant grant, int messageBytes) {
    if (grant == null || grant.credits() < 1) {
      return "it answered without a grant of credits";
    }
    if (grant.area().isNone() || !area.isNone() && !grant.area().equals(area)) {
      return "it offers another area than the one that was lost";
    }
    return grant.mailbox().isNone() || grant.mailbox().holds(grant.credits(), messageBytes) ? null
        : "it has no room for as many requests as it grants";
  }

  /** Its area, which begins at {@code start}. */
  AreaStatus status(long start) {
    return new AreaStatus(start, spec.areaBytes(), spec.node(), spec.service(), state(), isGone, why);
  }

  PagerSnapshot.Server snapshot(long start) {
    return new PagerSnapshot.Server(spec.node(), spec.service(), start, spec.areaBytes(), isUp, state(), losses, why, creditsFree(),
        creditsMax(), outstandingCount(), waiting.size());
  }

  /** A part that changes its range was acknowledged. */
  void changed(Part part) {
    int at = (int) changes++ & CHANGES - 1;
    changeStarts[at] = part.offset();
    changeEnds[at] = part.offset() + part.length();
  }

  /**
   * The connection is lost and the area is not: puts what was outstanding before all that waits, in the order in which it was sent, and
   * returns what may not be sent again. The server may have done any part of it, and somebody may have seen that. Doing it once more
   * makes no difference, unless something else has changed the same range meanwhile, and is undone by that.
   */
  List<Part> takeBack() {
    List<Integer> slots = new ArrayList<>();
    for (int slot = 0; slot < outstanding.length; slot++) {
      if (outstanding[slot] != null && outstanding[slot].request() != probe) {
        slots.add(slot);
      }
    }
    slots.sort(Comparator.comparingLong((Integer slot) -> orders[slot]).reversed());
    List<Part> failing = new ArrayList<>();
    List<Part> again = new ArrayList<>();
    for (int slot : slots) {
      (mayRepeat(slot) ? again : failing).add(outstanding[slot]);
    }
    takeOutstanding(null);
    probe = null;
    if (!again.isEmpty()) {
      Marks.hit(PagerMark.CLIENT_SENDS_AGAIN);
    }
    again.forEach(waiting::addFirst);
    return failing;
  }

  private boolean mayRepeat(int slot) {
    Part part = outstanding[slot];
    if (!part.request().op.changesData()) {
      return true;
    }
    if (changes - changesBefore[slot] > CHANGES) {
      return false;
    }
    for (long change = changesBefore[slot]; change < changes; change++) {
      int at = (int) change & CHANGES - 1;
      if (part.overlaps(changeStarts[at], changeEnds[at])) {
        return false;
      }
    }
    for (int other = 0; other < outstanding.length; other++) {
      Part beside = outstanding[other];
      if (other != slot && beside != null && beside.request().op.changesData()
          && part.overlaps(beside.offset(), beside.offset() + beside.length())) {
        return false;
      }
    }
    return true;
  }

  /** Whether a part was sent at or before {@code limitNs}. */
  boolean hasOlderThan(long limitNs) {
    for (int slot = 0; slot < outstanding.length; slot++) {
      if (outstanding[slot] != null && sentNs[slot] - limitNs <= 0) {
        return true;
      }
    }
    return false;
  }

  /** Takes everything that is outstanding or waiting, oldest kind first, for nobody waits for it any more. The probe goes on. */
  List<Part> takeAll() {
    List<Part> parts = takeOutstanding(probe);
    parts.addAll(waiting);
    waiting.clear();
    return parts;
  }

  /** All but what belongs to {@code kept}. */
  private List<Part> takeOutstanding(DeviceRequest kept) {
    List<Part> parts = new ArrayList<>();
    for (int slot = 0; slot < outstanding.length; slot++) {
      if (outstanding[slot] != null && (kept == null || outstanding[slot].request() != kept)) {
        parts.add(outstanding[slot]);
        outstanding[slot] = null;
        freeSlots[freeCount++] = slot;
      }
    }
    return parts;
  }
}
