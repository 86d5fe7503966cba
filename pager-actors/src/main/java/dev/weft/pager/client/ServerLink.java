package dev.weft.pager.client;

import dev.weft.fabric.time.Marks;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.link.Connector;
import dev.weft.hca.link.Link;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.pager.PagerMark;
import dev.weft.pager.client.DeviceRequest.Part;
import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.Handshake.AreaName;
import dev.weft.pager.wire.Handshake.Denial;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A client's state of one server: credits, parts that wait for a credit, outstanding parts. Decision logic. Parts are sent
 * in the order of their arrival. A reply names its request by slot and generation, so that a wrong reply is detected.
 */
final class ServerLink extends Link {
  private static final int GENERATION_SHIFT = 16;
  /** The number of changes that are recorded; a power of two. */
  private static final int CHANGES = 1024;

  final int index;
  final ServerSpec spec;
  final ArrayDeque<Part> waiting = new ArrayDeque<>();
  /** Whether requests fail with EIO. */
  boolean isDead;
  /** Whether reconnecting is pointless, because the server does not hold the area any more or the client has abandoned it. */
  boolean isGone;
  /** The server's name of the area. */
  AreaName area = AreaName.NONE;
  /** How often the connection was lost. */
  int losses;
  /** The request that tests whether a new connection carries data; null if none is outstanding. */
  DeviceRequest probe;
  /** The length of the longest write that is sent with its data; 0 for none. */
  int inlineBytes;
  /** Whether the server has acknowledged a change of the area's data. */
  boolean holdsData;
  private Part[] outstanding = new Part[0];
  private long[] sentNs = new long[0];
  private long[] generations = new long[0];
  /** For each slot, the number of requests sent before it and, below, the number of changes acknowledged before it was sent. */
  private long[] orders = new long[0];
  private long[] changesBefore = new long[0];
  private long sent;
  /** The ranges of the last acknowledged changes. */
  private final long[] changeStarts = new long[CHANGES];
  private final long[] changeEnds = new long[CHANGES];
  private long changes;
  private int[] freeSlots = new int[0];
  private int freeCount;

  ServerLink(int index, ServerSpec spec) {
    super("");
    this.index = index;
    this.spec = spec;
  }

  /** Starts a new connection on which the server allows {@code credits} outstanding requests, 1 to 65,536. */
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

  /** The channel of the current attempt; null between attempts. */
  QueuePairChannel messages() {
    return (QueuePairChannel) channel();
  }

  AreaState state() {
    return isUp() ? AreaState.READY : isDead ? AreaState.LOST : AreaState.DEGRADED;
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

  /** Takes the first waiting part and a credit for it; returns the id to send. A part and a credit must be available. */
  long dispatch(long nowNs) {
    int slot = freeSlots[--freeCount];
    outstanding[slot] = waiting.remove();
    sentNs[slot] = nowNs;
    orders[slot] = sent++;
    changesBefore[slot] = changes;
    return ++generations[slot] << GENERATION_SHIFT | slot;
  }

  /** Removes and returns the part that was sent with this id, and frees its credit; null if no such part is outstanding. */
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

  /** Why an attempt has failed or a connection has ended, as text for people. */
  static String why(ConnectionEvent event) {
    Denial denial = denialOf(event);
    return denial != null ? denial.why()
        : event instanceof ConnectionEvent.Rejected rejected ? "connection refused: " + rejected.reason() : Connector.why(event, _ -> "");
  }

  /** Whether an event shows that the server does not hold the area any more: it says so, its node is not on the fabric, or its service is not there. */
  static boolean isGone(ConnectionEvent event) {
    Denial denial = denialOf(event);
    return switch (event) {
      case ConnectionEvent.Established _ -> false;
      case ConnectionEvent.Rejected rejected -> rejected.reason() == RejectReason.UNKNOWN_NODE || rejected.reason() == RejectReason.INVALID_SERVICE_ID
          || denial != null && denial.reason() == Handshake.Refusal.UNKNOWN_AREA;
      case ConnectionEvent.Disconnected gone -> gone.nodeLost();
    };
  }

  /** Null unless the server itself has rejected the connection and has said why. */
  private static Denial denialOf(ConnectionEvent event) {
    return event instanceof ConnectionEvent.Rejected rejected && rejected.reason() == RejectReason.CONSUMER ? Denial.decode(rejected.privateData()) : null;
  }

  /** Returns the error in a server's grant, or null. */
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

  /** Returns the status of its area, which begins at {@code start}. */
  AreaStatus status(long start) {
    return new AreaStatus(start, spec.areaBytes(), spec.node(), spec.service(), state(), isGone, why());
  }

  PagerSnapshot.Server snapshot(long start) {
    return new PagerSnapshot.Server(spec.node(), spec.service(), start, spec.areaBytes(), isUp(), state(), losses, why(), creditsFree(),
        creditsMax(), outstandingCount(), waiting.size());
  }

  /** Records that the server has acknowledged a part that changes its range. */
  void changed(Part part) {
    int at = (int) changes++ & CHANGES - 1;
    changeStarts[at] = part.offset();
    changeEnds[at] = part.offset() + part.length();
  }

  /**
   * Handles a lost connection to an area that is not lost. Puts the outstanding parts, in the order in which they were sent, before the waiting ones.
   * Returns the parts that must not be sent again. The server may have executed any outstanding part, and a reader may have seen the result. Executing a
   * part again makes no difference, unless another request has changed the same range in the meantime: the repetition would undo that change.
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

  /** Removes and returns all outstanding parts, except the probe, followed by all waiting parts. */
  List<Part> takeAll() {
    List<Part> parts = takeOutstanding(probe);
    parts.addAll(waiting);
    waiting.clear();
    return parts;
  }

  /** Removes and returns all outstanding parts, except those of {@code kept}. */
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
