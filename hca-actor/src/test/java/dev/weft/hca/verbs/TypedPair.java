package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import java.lang.foreign.MemorySegment;

/** The nodes of a {@link Pair}, each with a queue pair of UC or UD in RTS. */
public final class TypedPair implements AutoCloseable {
  public static final int QKEY = 0x1234;
  public static final int PSN = 100;

  public final Pair pair;
  public final Pair.Side a;
  public final Pair.Side b;
  public final QueuePair qa;
  public final QueuePair qb;

  private TypedPair(QpType type, Pair pair) {
    this.pair = pair;
    a = pair.a;
    b = pair.b;
    qa = create(type, a);
    qb = create(type, b);
    toRts(qa, b, qb);
    toRts(qb, a, qa);
  }

  public static TypedPair of(QpType type) {
    return of(type, 1, LinkFaults.NONE);
  }

  public static TypedPair of(QpType type, long seed, LinkFaults faults) {
    return new TypedPair(type, new Pair(seed, faults, Pair.QpShape.DEFAULT, Access.ALL,
        ConfigFactory.parseString("weft.hca.path-mtu-max = 1024")));
  }

  public static QueuePair create(QpType type, Pair.Side side) {
    return side.hca.createQp(side.pd, new QpInitAttr(side.sendCq, side.recvCq, 64, 64, 4, 4, 256, false).withType(type));
  }

  /** Takes it from RESET to RTS. */
  public static void toRts(QueuePair qp, Pair.Side peer, QueuePair peerQp) {
    if (qp.type() == QpType.UD) {
      qp.modify(QpAttr.initUd(QKEY));
      qp.modify(QpAttr.rtrUd());
    } else {
      qp.modify(QpAttr.init(Access.ALL));
      qp.modify(QpAttr.rtrUc().destLid(peer.hca.lid()).destQpNum(peerQp.qpNum()).rqPsn(PSN).pathMtu(Pair.MTU));
    }
    qp.modify(QpAttr.rtsUnreliable(PSN));
  }

  public AddressHandle aToB() {
    return a.hca.createAh(a.pd, b.hca.lid(), 0);
  }

  /** Names b's queue pair as the target, if this is UD. */
  public WorkRequest toB(WorkRequest request) {
    return qa.type() == QpType.UD ? request.to(aToB(), qb.qpNum(), QKEY) : request;
  }

  public void post(long wrId, long offset, int length) {
    qb.postReceive(b.rr.receive(wrId).sge(b.mr, offset, length));
  }

  /** Hands a packet to b as if a's queue pair had sent it. */
  public void forge(int opcode, int psn, long va, int rkey, int dmaLength, byte[] bytes) {
    b.hca.actor().tell(new Packet(opcode, a.hca.lid(), b.hca.lid(), 0, false, false, Packet.DEFAULT_PKEY, qb.qpNum(), psn, va, rkey,
        dmaLength, 0, 0, 7, 0, 0, QKEY, qa.qpNum(), Payload.of(MemorySegment.ofArray(bytes), 0, bytes.length)));
    pair.fabric.system().runFor(1000);
  }

  public void forge(int opcode, int psn, byte[] bytes) {
    forge(opcode, psn, 0, 0, 0, bytes);
  }

  public void run() {
    pair.run();
  }

  public static void assertFlushed(WorkCompletion wc) {
    assertTrue(wc.status() == WcStatus.WR_FLUSH_ERR, wc.toString());
  }

  @Override
  public void close() {
    pair.close();
  }
}
