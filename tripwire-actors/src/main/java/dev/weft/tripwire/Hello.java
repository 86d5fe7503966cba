package dev.weft.tripwire;

/**
 * Finds out whether another NIC can be reached, before something is written to it that nobody would miss: a JVM learns of others, and lays
 * trunks to them, at its own pace. The first packet of a flow may ask for an answer, and is sent again until there is one. Hardware thread.
 */
final class Hello {
  /** Kind of the answer, beside those of refusals. */
  static final int ANSWER = 3 << 8;

  /** How long an answer is waited for before it is asked again. */
  static final long REPEAT_NS = 20_000_000;

  private final NicCore core;
  private final Flows flows;

  Hello(NicCore core, Flows flows) {
    this.core = core;
    this.flows = flows;
  }

  /** Asks, if nothing was answered yet, nor asked just now, and a packet may leave; the flow tells of the answer. */
  Flows.Outgoing ask(int lid, long nowNs) {
    Flows.Outgoing flow = flows.to(lid);
    if (!flow.answered && nowNs >= flow.askAgainAtNs && core.port().maySend(1)) {
      flow.askAgainAtNs = nowNs + REPEAT_NS;
      core.open(flow, true);
    }
    return flow;
  }

  /** Somebody asks. What was sent to him before may have gone nowhere, unless he has answered too: the flow to him begins anew. */
  void onAsked(int lid) {
    Flows.Outgoing back = flows.to(lid);
    back.open &= back.answered;
    core.refusals.refuse(lid, ANSWER, Status.OK, 0, 0);
  }

  void onAnswer(int lid) {
    flows.to(lid).answered = true;
  }
}
