package dev.weft.hca;


/** Bugs to be planted in the transport under a cluster; each method has the parameters of the call that it replaces. */
public final class ClusterBugs {
  private static int count;

  private ClusterBugs() {}

  /** Instead of {@code Psn.diff} in {@code RcResponder.onRequest}: the packet after a lost one is taken for the lost one. */
  public static int acceptGap(int a, int b) {
    int distance = Psn.diff(a, b);
    return distance == 1 ? 0 : distance;
  }

  /** Instead of {@code CompletionQueue.push} in {@code HcaCore.completeReceive}: now and then a completion is lost. */
  static void loseCompletion(CompletionQueue cq, boolean solicitedOrError) {
    if (++count % 50 != 0) {
      cq.push(solicitedOrError);
    }
  }

  /** Instead of {@code CompletionQueue.push}: now and then a completion comes twice. */
  static void completeTwice(CompletionQueue cq, boolean solicitedOrError) {
    WorkCompletion wc = cq.claim();
    cq.push(solicitedOrError);
    WorkCompletion next = cq.claim();
    if (++count % 50 == 0 && next != null) {
      next.copyFrom(wc);
      cq.push(solicitedOrError);
    }
  }

  /** Instead of {@code returnCredit} in {@code HcaCore.onPacket}: now and then a buffer is not given back. */
  static void leakCredit(HcaPort port, int lane) {
    if (++count % 200 != 0) {
      port.returnCredit(lane);
    }
  }
}
