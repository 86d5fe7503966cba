package dev.weft.tripwire;

import java.util.Set;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The flows to and from other NICs. Each packet says at which position of its flow it is, so that what is missing is noticed: nothing
 * that comes after a gap is taken, or it might be seen without what was written before (seed 003 section 2.1, PRAM consistency). A flow
 * starts with a packet that says where. Hardware thread. Bound: the LIDs of the fabric.
 */
final class Flows {
  /** What to do with a packet. */
  enum Verdict { TAKE, DUPLICATE, GAP, NOT_OPEN }

  /** A flow to another NIC. */
  static final class Outgoing {
    final int lid;
    int position;
    boolean open;
    /** The other NIC has answered since it was last lost. Read by any thread. */
    volatile boolean answered;
    /** When it may be asked again. Hardware thread. */
    long askAgainAtNs = Long.MIN_VALUE;

    Outgoing(int lid) {
      this.lid = lid;
    }
  }

  /** A flow from another NIC. */
  static final class Incoming {
    final int lid;
    /** LID of the multicast group that it goes to, or 0. */
    final int groupLid;
    private int expected;
    private boolean open;
    /** The sender has been told that the flow is broken. */
    private boolean told;

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
      }
    }

    void open(int position) {
      expected = position + 1;
      open = true;
      told = false;
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

    /** What the sender was told may be lost, as other things on the way to it are: it is told again if it goes on in a broken flow. */
    void tellAgain() {
      told = false;
    }

    /** From now on nothing is taken; whether the sender is to be told of it. */
    boolean fail() {
      open = false;
      boolean tell = !told;
      told = true;
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
