package dev.weft.tripwire;

import dev.weft.fabric.packet.Packet;
import java.util.ArrayDeque;

/**
 * Asks other NICs how far the flows to them have come. A JVM learns of others, and lays trunks to them, at its own pace, and what is sent
 * earlier is lost; and if the last packet of a flow is lost, nothing follows it that would show the gap. So a flow is asked about when it
 * starts, when a DMA request has been sent, and a moment after it has sent anything else, and again until all is confirmed: by {@code
 * CLAN_OPEN}, which says where the flow started and where it is, or by the last burst of a DMA request, which asks by its acknowledge
 * request bit. The answer says how much was taken. A NIC that has missed something says so; one that never answers makes all mappings of
 * its memory fail. Flows to groups have no answer. Hardware thread. Bound: the LIDs of the fabric.
 */
final class Hello {
  /** Kind of the answer, beside those of refusals. */
  static final int ANSWER = 3 << 8;
  /** After how long a flow is asked about, and something is said again that may be lost; then twice as long, up to the second. */
  static final long REPEAT_NS = 20_000_000;
  static final long REPEAT_MAX_NS = 1_000_000_000;

  private final NicCore core;
  private final Flows flows;
  private final long answerMaxNs;
  private final ArrayDeque<Flows.Outgoing> watched = new ArrayDeque<>();
  /** Those of them that are to be asked as soon as there is a credit. */
  private final ArrayDeque<Flows.Outgoing> due = new ArrayDeque<>();
  private boolean timerRuns;

  /**
   * Answers may take {@code answerMaxNs}, counted in questions that really left, not by the clock: after a pause of this JVM the answer may
   * be here and not have been looked at.
   */
  Hello(NicCore core, Flows flows, long answerMaxNs) {
    this.core = core;
    this.flows = flows;
    this.answerMaxNs = answerMaxNs;
  }

  /** Asks, if the flow is not open and a packet may leave; the flow tells of the answer. */
  Flows.Outgoing ask(int lid) {
    Flows.Outgoing flow = flows.to(lid);
    if (!flow.open && core.port().maySend(1)) {
      core.open(flow);
    }
    return flow;
  }

  /** A flow to a NIC has started, which asks. */
  void onOpened(Flows.Outgoing flow) {
    watch(flow);
    flow.asking = true;
    flow.unansweredNs = 0;
    flow.askIntervalNs = REPEAT_NS;
    flow.askNextNs = core.nowNs() + REPEAT_NS;
  }

  /** Something has been sent, or is about to be, that is to be confirmed; nothing if the flow is watched already. */
  void watch(Flows.Outgoing flow) {
    if (!flow.watched) {
      flow.watched = true;
      flow.askNextNs = core.nowNs() + REPEAT_NS;
      watched.add(flow);
      runTimer();
    }
  }

  private void runTimer() {
    if (!timerRuns && !watched.isEmpty()) {
      timerRuns = true;
      core.helloAt(core.nowNs() + REPEAT_NS);
    }
  }

  void onTimer() {
    timerRuns = false;
    long nowNs = core.nowNs();
    for (int left = watched.size(); left > 0; left--) {
      Flows.Outgoing flow = watched.poll();
      flow.watched = flow.open && !flow.isConfirmed() && !core.isClosed();
      if (flow.watched) {
        watched.add(flow);
        if (!flow.askDue && nowNs - flow.askNextNs >= 0) { // Else it has not been asked since, or only just.
          askAgain(flow);
        }
      }
    }
    runTimer();
  }

  private void askAgain(Flows.Outgoing flow) {
    if (flow.asking) {
      flow.unansweredNs += flow.askIntervalNs;
      flow.askIntervalNs = Math.min(2 * flow.askIntervalNs, REPEAT_MAX_NS);
    }
    if (flow.unansweredNs >= answerMaxNs) {
      core.breakPeer(flow.lid, Status.TIMED_OUT, "the NIC with LID " + flow.lid + " has not confirmed for " + flow.unansweredNs / 1_000_000
          + " ms what was sent to it, nor said what is missing (weft.tripwire.confirm-timeout)");
    } else {
      askSoon(flow);
    }
  }

  private void askSoon(Flows.Outgoing flow) {
    if (!flow.askDue) {
      flow.askDue = true;
      due.add(flow);
    }
  }

  /** Asks one that is to be asked, if a packet may leave; false if none was. */
  boolean sayDue() {
    while (!due.isEmpty() && core.port().maySend(1)) {
      Flows.Outgoing flow = due.poll();
      flow.askDue = false;
      if (flow.open && !flow.isConfirmed()) {
        flow.asking = true;
        flow.askNextNs = core.nowNs() + flow.askIntervalNs;
        core.sayOpen(flow, true);
        return true;
      }
    }
    return false;
  }

  /** Another NIC says where its flow started, and where it is; it is answered if nothing is missing. */
  Flows.Verdict onOpen(Packet packet) {
    Flows.Incoming flow = flows.from(packet.srcLid());
    Flows.Verdict verdict = flow.started(packet.immediate(), (int) packet.va());
    answer(flow);
    return verdict;
  }

  /** Says how much of a flow was taken, and how many writes of it were refused; nothing if it is broken, which is said otherwise. */
  void answer(Flows.Incoming flow) {
    if (flow.isOpen()) {
      core.refusals.tell(flow.lid, ANSWER, Status.OK, (long) flow.refused << Integer.SIZE | flow.expected() & 0xffff_ffffL, 0, flow.openedAt,
          flow.isKnown());
    }
  }

  void onAnswer(Packet packet) {
    Flows.Outgoing flow = flows.to(packet.srcLid());
    int taken = (int) packet.va();
    if (!flow.open || packet.immediate() != flow.openedAt || flow.position - taken < 0) {
      return; // Of one that has begun anew since.
    }
    if ((int) (packet.va() >>> Integer.SIZE) - flow.refusalsHeard > 0) {
      core.breakPeer(flow.lid, Status.BROKEN, "the NIC with LID " + flow.lid + " has refused a write, and what it said of it was lost");
      return;
    }
    flow.answered = true;
    flow.asking = false;
    flow.unansweredNs = 0;
    flow.askIntervalNs = REPEAT_NS;
    if (taken - flow.confirmed > 0) {
      flow.confirmed = taken;
    }
    core.dma.confirmed(flow);
    if (!flow.unconfirmed.isEmpty()) {
      askSoon(flow); // Others wait for it too.
    }
  }
}
