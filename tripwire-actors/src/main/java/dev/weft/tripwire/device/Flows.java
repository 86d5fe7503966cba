package dev.weft.tripwire.device;

import dev.weft.tripwire.driver.DmaRequest;

import java.util.ArrayDeque;
import java.util.Set;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The flows to and from other NICs. Each packet carries its position in its flow, so that gaps are noticed. Nothing after a gap is taken, because a
 * program might see it without what was written before (CLAN, section 2.1, PRAM consistency). A flow starts with a packet that carries the start, and
 * is answered; see {@link Hello}. A restarted flow continues after its last position, so that earlier packets are missed even if the start packet was
 * lost. Hardware thread. Bound: the LIDs of the fabric.
 */
final class Flows {
  /** Delay before a question, or before a repetition of a message that may be lost. */
  static final long REPEAT_NS = 20_000_000;

  /** How to handle a packet. */
  enum Verdict { TAKE, DUPLICATE, GAP, NOT_OPEN }

  /** A flow to another NIC. */
  static final class Outgoing {
    final int lid;
    int position;
    /** Position of its last start. */
    int openedAt;
    /** Number of positions since then; more than an int holds. */
    private long length;
    boolean open;
    private boolean wasOpen;
    /** The other NIC has confirmed the start of the flow. Read by any thread. */
    volatile boolean answered;
    /** Position up to which the other NIC has confirmed everything. */
    int confirmed;
    /** DMA requests that were sent completely and not confirmed, in that order. Bound: those of the DMA queues. */
    final ArrayDeque<DmaRequest> unconfirmed = new ArrayDeque<>();
    /** {@link Hello} asks until the rest is confirmed. */
    boolean watched;
    /** The other NIC was asked for its position, and has not answered since. */
    boolean asking;
    /** The question is to be sent when there is a credit. */
    boolean askDue;
    /** When the next question is due; the interval to the one after it; the time without an answer so far. */
    long askNextNs;
    long askIntervalNs;
    long unansweredNs;
    /** Number of refusals of writes that arrived since the flow started. */
    int refusalsHeard;

    Outgoing(int lid) {
      this.lid = lid;
    }

    /** Whether everything that was sent has arrived. */
    boolean isConfirmed() {
      return answered && confirmed == position;
    }

    /** Starts the flow, the first time at {@code first}. */
    void start(int first) {
      openedAt = wasOpen ? position : first;
      position = openedAt + 1;
      length = 1;
      confirmed = openedAt;
      refusalsHeard = 0;
      asking = false;
      wasOpen = true;
      open = true;
      answered = false;
    }

    /** Bytes were sent. */
    void advance(int positions) {
      position += positions;
      length += positions;
    }

    /** Whether a packet at that position, less than 2^31 before the present one, was sent before the last start of the flow. */
    boolean isBeforeStart(int at) {
      return position - at > length;
    }
  }

  /** A flow from another NIC. */
  static final class Incoming {
    final int lid;
    /** LID of its multicast group, or 0. */
    final int groupLid;
    private int expected;
    private boolean open;
    /** Position of its start; valid if {@link #isKnown}. */
    int openedAt;
    private boolean known;
    /** Whether and when the sender was told that the flow is broken. */
    private boolean told;
    private long toldAtNs;
    /** Position where it broke, and the position that arrived there. */
    private int brokenAt;
    private int brokenBy;
    /** Number of refused writes since the start; the sender was told of each. */
    int refused;

    Incoming(int lid) {
      this(lid, 0);
    }

    Incoming(int lid, int groupLid) {
      this.lid = lid;
      this.groupLid = groupLid;
    }

    /** Joins a running flow: earlier packets were not for this NIC, which has joined since. No effect if the flow is broken. */
    void takeUp(int position) {
      if (!open && !told) {
        open(position - 1);
        known = false;
      }
    }

    void open(int position) {
      expected = position + 1;
      openedAt = position;
      known = true;
      open = true;
      told = false;
      refused = 0;
    }

    boolean isOpen() {
      return open;
    }

    /** The next position: everything before it has arrived. */
    int expected() {
      return expected;
    }

    /** Position where it broke, in the upper half, and the position that arrived there. */
    long breach() {
      return (long) brokenAt << Integer.SIZE | brokenBy & 0xffff_ffffL;
    }

    /** Whether the start of the flow is known. */
    boolean isKnown() {
      return known;
    }

    /**
     * The sender reports the start and the present position of the flow.
     *
     * @return TAKE if everything has arrived, DUPLICATE if the report is older than what has arrived, GAP if something is missing, NOT_OPEN if
     *     the flow is broken
     */
    Verdict started(int position, int now) {
      if (!known || openedAt != position) {
        open(position);
      }
      int distance = now - expected;
      return !open ? Verdict.NOT_OPEN : distance == 0 ? Verdict.TAKE : distance < 0 ? Verdict.DUPLICATE : Verdict.GAP;
    }

    Verdict next(int position, int positions) {
      if (!open) {
        return Verdict.NOT_OPEN;
      }
      int distance = position - expected;
      if (distance != 0) {
        return distance < 0 ? Verdict.DUPLICATE : Verdict.GAP;
      }
      expected += positions;
      return Verdict.TAKE;
    }

    boolean isTold() {
      return told;
    }

    /**
     * Breaks the flow: nothing is taken any more. Returns whether to tell the sender: once, and now and then if it goes on, because the message may
     * be lost.
     *
     * @param came position that arrived instead of the next one; or the next one, if it could not be taken
     */
    boolean fail(int came, long nowNs) {
      if (open) {
        brokenAt = expected;
        brokenBy = came;
      }
      open = false;
      boolean tell = !told || nowNs - toldAtNs >= REPEAT_NS;
      if (tell) {
        told = true;
        toldAtNs = nowNs;
      }
      return tell;
    }
  }

  private final Int2ObjectHashMap<Outgoing> outgoing = new Int2ObjectHashMap<>();
  private final Int2ObjectHashMap<Incoming> incoming = new Int2ObjectHashMap<>();
  private Outgoing lastOut;
  private Incoming lastIn;

  Outgoing to(int lid) {
    Outgoing flow = lastOut;
    if (flow == null || flow.lid != lid) {
      flow = outgoing.get(lid);
      if (flow == null) {
        flow = new Outgoing(lid);
        outgoing.put(lid, flow);
      }
      lastOut = flow;
    }
    return flow;
  }

  /** The flow to that LID; null if nothing was ever sent there. */
  Outgoing find(int lid) {
    return outgoing.get(lid);
  }

  Incoming from(int lid) {
    Incoming flow = lastIn;
    if (flow == null || flow.lid != lid) {
      flow = incoming.get(lid);
      if (flow == null) {
        flow = new Incoming(lid);
        incoming.put(lid, flow);
      }
      lastIn = flow;
    }
    return flow;
  }

  /** All flows that were ever opened. */
  Iterable<Outgoing> toAll() {
    return outgoing.values();
  }

  /** Adds all NICs that have written here, or were written to. */
  void addPeers(Set<Integer> lids) {
    lids.addAll(outgoing.keySet());
    lids.addAll(incoming.keySet());
  }

  void forget(int lid) {
    outgoing.remove(lid);
    incoming.remove(lid);
    lastOut = null;
    lastIn = null;
  }
}
