package dev.weft.tripwire;

import java.util.ArrayDeque;
import java.util.Set;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The flows to and from other NICs. Each packet says at which position of its flow it is, so that what is missing is noticed: nothing
 * that comes after a gap is taken, or it might be seen without what was written before (seed 003 section 2.1, PRAM consistency). A flow
 * starts with a packet that says where, and is answered; see {@link Hello}. One that starts anew goes on behind where it was, so that what
 * was sent since is missed also where that packet was lost. Hardware thread. Bound: the LIDs of the fabric.
 */
final class Flows {
  /** What to do with a packet. */
  enum Verdict { TAKE, DUPLICATE, GAP, NOT_OPEN }

  /** A flow to another NIC. */
  static final class Outgoing {
    final int lid;
    int position;
    /** Where it started last. */
    int openedAt;
    /** Positions since then; more than an int holds. */
    private long length;
    boolean open;
    private boolean wasOpen;
    /** The other NIC has answered that it knows where the flow started. Read by any thread. */
    volatile boolean answered;
    /** Up to where the other NIC has said that it has everything. */
    int confirmed;
    /** DMA requests all of whose bursts were sent, and whose delivery was not confirmed; in that order. Bound: those of the DMA queues. */
    final ArrayDeque<DmaRequest> unconfirmed = new ArrayDeque<>();
    /** {@link Hello} sees to it that the rest is confirmed. */
    boolean watched;
    /** The other NIC was asked how far it is, and has not answered since. */
    boolean asking;
    /** It is to be asked when there is a credit. */
    boolean askDue;
    /** When it is asked again, how long it has then, and for how long it has not answered. */
    long askNextNs;
    long askIntervalNs;
    long unansweredNs;
    /** Refusals of writes that were heard since the flow started. */
    int refusalsHeard;

    Outgoing(int lid) {
      this.lid = lid;
    }

    /** Whether all that was sent has arrived. */
    boolean isConfirmed() {
      return answered && confirmed == position;
    }

    /** It starts, the first time at {@code first}. */
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

    /** Something has been sent. */
    void advance(int positions) {
      position += positions;
      length += positions;
    }

    /** Whether a packet that was at that position, less than 2^31 before the present one, was sent before the flow started last. */
    boolean isBeforeStart(int at) {
      return position - at > length;
    }
  }

  /** A flow from another NIC. */
  static final class Incoming {
    final int lid;
    /** LID of the multicast group that it goes to, or 0. */
    final int groupLid;
    private int expected;
    private boolean open;
    /** Where it started; if {@link #isKnown}. */
    int openedAt;
    private boolean known;
    /** The sender has been told that the flow is broken, and when. */
    private boolean told;
    private long toldAtNs;
    /** Where it broke, and what came there. */
    private int brokenAt;
    private int brokenBy;
    /** Writes that were refused since it started, each of which the sender was told of. */
    int refused;

    Incoming(int lid) {
      this(lid, 0);
    }

    Incoming(int lid, int groupLid) {
      this.lid = lid;
      this.groupLid = groupLid;
    }

    /** What went before was not for this NIC, which has joined since; unless the flow is broken. */
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

    /** Position that comes next: all before it is here. */
    int expected() {
      return expected;
    }

    /** Where it broke in the upper half, and which position came there. */
    long breach() {
      return (long) brokenAt << Integer.SIZE | brokenBy & 0xffff_ffffL;
    }

    /** Whether it is known where the flow started. */
    boolean isKnown() {
      return known;
    }

    /**
     * The sender says where the flow started and where it is now.
     *
     * @return TAKE if all of it is here, DUPLICATE if it was said before what is here, GAP if something is missing, NOT_OPEN if it is broken
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
     * From now on nothing is taken; whether the sender is to be told of it: once, and now and then if it goes on, as that may be lost.
     *
     * @param came position that came, and was not what is next; or was, and could not be taken
     */
    boolean fail(int came, long nowNs) {
      if (open) {
        brokenAt = expected;
        brokenBy = came;
      }
      open = false;
      boolean tell = !told || nowNs - toldAtNs >= Hello.REPEAT_NS;
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

  /** The flow to that LID, or null if nothing was ever sent there. */
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

  /** Adds the peers that have ever written here, or were written to. */
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
