package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.lab.kit.Draw;

/** Connects reliable queue pairs so that they survive all drawn faults; only deliberate errors break them. */
final class RcPair {
  /** 16.8 ms: at least the timeout of any other queue pair, which limits partitions. */
  private static final int TIMEOUT = 12;
  private static final int FOR_EVER = 7;

  private RcPair() {}

  static void connect(SimNode nodeA, QueuePair a, SimNode nodeB, QueuePair b, int mtu, int access, Draw draw) {
    int psnA = draw.psn();
    int psnB = draw.psn();
    int rnrTimer = draw.between(1, 12);
    a.modify(QpAttr.init(access));
    b.modify(QpAttr.init(access));
    a.modify(QpAttr.rtr().destLid(nodeB.hca.lid()).destQpNum(b.qpNum()).rqPsn(psnB).pathMtu(mtu).minRnrTimer(rnrTimer));
    b.modify(QpAttr.rtr().destLid(nodeA.hca.lid()).destQpNum(a.qpNum()).rqPsn(psnA).pathMtu(mtu).minRnrTimer(rnrTimer));
    a.modify(rts(psnA));
    b.modify(rts(psnB));
  }

  private static QpAttr rts(int psn) {
    return new QpAttr().state(QpState.RTS).sqPsn(psn).timeout(TIMEOUT).retryCnt(7).rnrRetry(FOR_EVER).maxRdAtomic(4);
  }
}
