package dev.weft.tripwire;

import dev.weft.fabric.packet.Packet;
import java.util.ArrayDeque;

/**
 * Makes sure that another NIC knows where the flow to it starts: a JVM learns of others, and lays trunks to them, at its own pace, and what
 * is sent earlier is lost. The first packet of a flow asks for an answer, and is said again, with the position that the flow has reached,
 * until there is one. So a NIC that has missed the start knows whether it has missed more, and says so; one that never answers makes all
 * mappings of its memory fail. Flows to groups have no answer. Hardware thread. Bound: the LIDs of the fabric.
 */
final class Hello {
  /** Kind of the answer, beside those of refusals. */
  static final int ANSWER = 3 << 8;
  /** After how long something is said again that may be lost. */
  static final long REPEAT_NS = 20_000_000;

  private final NicCore core;
  private final Flows flows;
  private final long askedMax;
  private final ArrayDeque<Flows.Outgoing> unanswered = new ArrayDeque<>();
  /** Those of them that are to be asked again as soon as there is a credit. */
  private final ArrayDeque<Flows.Outgoing> due = new ArrayDeque<>();
  private boolean timerRuns;

  /**
   * Answers may take {@code answerMaxNs}, counted in questions that really left, not by the clock: after a pause of this JVM the answer may
   * be here and not have been looked at.
   */
  Hello(NicCore core, Flows flows, long answerMaxNs) {
    this.core = core;
    this.flows = flows;
    askedMax = Math.ceilDiv(answerMaxNs, REPEAT_NS);
  }

  /** Asks, if the flow is not open and a packet may leave; the flow tells of the answer. */
  Flows.Outgoing ask(int lid) {
    Flows.Outgoing flow = flows.to(lid);
    if (!flow.open && core.port().maySend(1)) {
      core.open(flow);
    }
    return flow;
  }

  /** A flow to a NIC has started. */
  void onOpened(Flows.Outgoing flow) {
    flow.asked = 1;
    if (!unanswered.contains(flow)) {
      unanswered.add(flow);
    }
    runTimer();
  }

  private void runTimer() {
    if (!timerRuns && !unanswered.isEmpty()) {
      timerRuns = true;
      core.helloAt(core.nowNs() + REPEAT_NS);
    }
  }

  void onTimer() {
    timerRuns = false;
    unanswered.removeIf(flow -> !flow.open || flow.answered || core.isClosed());
    for (int left = unanswered.size(); left > 0; left--) {
      Flows.Outgoing flow = unanswered.poll();
      if (flow.askDue) {
        unanswered.add(flow); // It has not been asked since.
      } else if (flow.asked >= askedMax) {
        core.breakPeer(flow.lid, Status.TIMED_OUT);
      } else {
        unanswered.add(flow);
        flow.askDue = true;
        due.add(flow);
      }
    }
    runTimer();
  }

  /** Asks one that is to be asked again, if a packet may leave; false if none was. */
  boolean sayDue() {
    while (!due.isEmpty() && core.port().maySend(1)) {
      Flows.Outgoing flow = due.poll();
      flow.askDue = false;
      if (flow.open && !flow.answered) {
        flow.asked++;
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
    if (verdict == Flows.Verdict.TAKE) {
      core.refusals.tell(packet.srcLid(), ANSWER, Status.OK, 0, 0, flow.openedAt, flow.isKnown());
    }
    return verdict;
  }

  void onAnswer(Packet packet) {
    Flows.Outgoing flow = flows.to(packet.srcLid());
    flow.answered |= flow.open && packet.immediate() == flow.openedAt;
  }
}
