package dev.weft.tripwire.device;

import dev.weft.fabric.packet.Packet;
import dev.weft.tripwire.nic.Status;
import java.util.ArrayDeque;

/**
 * Asks other NICs how far the flows to them have come. There are two reasons. A JVM learns of others, and lays trunks to them, at its own pace;
 * earlier packets are lost. And if the last packet of a flow is lost, no later packet shows the gap. So a NIC asks about a flow at its start, after a
 * DMA request, and a moment after any other data, and repeats the question until everything is confirmed. It asks by {@code CLAN_OPEN}, which carries
 * the start and the present position of the flow, or by the acknowledge request bit in the last burst of a DMA request. The answer contains the
 * position taken. A NIC that has missed something reports it. If a NIC never answers, all mappings of its memory fail. Flows to groups have no
 * answer. Hardware thread. Bound: the LIDs of the fabric.
 */
final class Hello {
  /** Kind of the answer, besides those of refusals. */
  static final int ANSWER = 3 << 8;
  /** {@link Flows#REPEAT_NS} is doubled with each question up to one second. */
  static final long REPEAT_MAX_NS = 1_000_000_000;

  private final NicCore core;
  private final Flows flows;
  private final long answerMaxNs;
  private final ArrayDeque<Flows.Outgoing> watched = new ArrayDeque<>();
  /** Watched flows whose question waits for a credit. */
  private final ArrayDeque<Flows.Outgoing> due = new ArrayDeque<>();
  private boolean timerRuns;

  /**
   * No flows yet.
   *
   * @param answerMaxNs limit for an answer, counted in questions that really left, not by the clock: after a pause of this JVM the answer may
   *     have arrived unseen
   */
  Hello(NicCore core, Flows flows, long answerMaxNs) {
    this.core = core;
    this.flows = flows;
    this.answerMaxNs = answerMaxNs;
  }

  /** Asks, if the flow is not open and a packet may leave; the returned flow shows the answer. */
  Flows.Outgoing ask(int lid) {
    Flows.Outgoing flow = flows.to(lid);
    if (!flow.open && core.port().maySend(1)) {
      core.open(flow);
    }
    return flow;
  }

  /** A flow to a NIC has started with a question. */
  void onOpened(Flows.Outgoing flow) {
    watch(flow);
    flow.asking = true;
    flow.unansweredNs = 0;
    flow.askIntervalNs = Flows.REPEAT_NS;
    flow.askNextNs = core.nowNs() + Flows.REPEAT_NS;
  }

  /** Data to be confirmed was sent, or is about to be. No effect if the flow is watched already. */
  void watch(Flows.Outgoing flow) {
    if (!flow.watched) {
      flow.watched = true;
      flow.askNextNs = core.nowNs() + Flows.REPEAT_NS;
      watched.add(flow);
      runTimer();
    }
  }

  private void runTimer() {
    if (!timerRuns && !watched.isEmpty()) {
      timerRuns = true;
      core.helloAt(core.nowNs() + Flows.REPEAT_NS);
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
        if (!flow.askDue && nowNs - flow.askNextNs >= 0) { // Otherwise it has not been asked since, or only just now.
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
          + " ms the packets sent to it, nor reported missing ones (weft.tripwire.confirm-timeout)");
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

  /** Sends a due question, if a packet may leave; returns false if none was sent. */
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

  /** Another NIC reports the start and position of its flow; this NIC answers if nothing is missing. */
  Flows.Verdict onOpen(Packet packet) {
    Flows.Incoming flow = flows.from(packet.srcLid());
    Flows.Verdict verdict = flow.started(packet.immediate(), (int) packet.va());
    answer(flow);
    return verdict;
  }

  /** Sends the position taken, and the number of refused writes. Sends nothing for a broken flow, which is reported in another way. */
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
      return; // The answer belongs to an earlier start of the flow.
    }
    if ((int) (packet.va() >>> Integer.SIZE) - flow.refusalsHeard > 0) {
      core.breakPeer(flow.lid, Status.BROKEN, "the NIC with LID " + flow.lid + " has refused a write, and what it said of it was lost");
      return;
    }
    flow.answered = true;
    flow.asking = false;
    flow.unansweredNs = 0;
    flow.askIntervalNs = Flows.REPEAT_NS;
    if (taken - flow.confirmed > 0) {
      flow.confirmed = taken;
    }
    core.dma.confirmed(flow);
    if (!flow.unconfirmed.isEmpty()) {
      askSoon(flow); // Other requests wait for the answer, too.
    }
  }
}
