package dev.weft.hca.device;

import akka.actor.ActorPath;
import akka.actor.typed.ActorRef;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.time.FabricContext;
import dev.weft.fabric.time.RealClock;
import dev.weft.fabric.time.Timers;
import dev.weft.hca.transport.Qp;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.SharedReceiveQueue;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** An HCA without a cable and without an actor: what its actor would be told is counted. */
public final class Adapter {
  private static final HcaSettings SETTINGS = HcaSettings.from(ConfigFactory.load());
  private static final int PEER_LID = 9;
  private static final int PEER_QP = 0x99;
  private static final int PSN = 1;
  private static final int MTU = 1024;

  /** Counts the messages that matter to a test. */
  private static final class Mailbox implements ActorRef<HardwareMessage> {
    private static final long serialVersionUID = 1;

    private final transient Predicate<HardwareMessage> matters;
    private final AtomicInteger told = new AtomicInteger();

    Mailbox(Predicate<HardwareMessage> matters) {
      this.matters = matters;
    }

    @Override
    public void tell(HardwareMessage message) {
      if (matters.test(message)) {
        told.incrementAndGet();
      }
    }

    @Override
    public <U extends HardwareMessage> ActorRef<U> narrow() {
      throw new UnsupportedOperationException();
    }

    @Override
    public <U> ActorRef<U> unsafeUpcast() {
      throw new UnsupportedOperationException();
    }

    @Override
    public ActorPath path() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int compareTo(ActorRef<?> other) {
      throw new UnsupportedOperationException();
    }
  }

  private static final Timers NO_TIMERS = new Timers() {
    @Override
    public <T> void at(long deadlineNs, ActorRef<T> receiver, T message) {
      // Nothing here waits for time to pass.
    }
  };

  private final Mailbox mailbox;
  public final ControlVerbs hca;
  public final ProtectionDomain pd;
  public final CompletionQueue cq;

  public Adapter(Predicate<HardwareMessage> matters) {
    mailbox = new Mailbox(matters);
    hca = new ControlVerbs("stress", SETTINGS, new FabricContext(RealClock.INSTANCE, NO_TIMERS, new SplittableRandom(1)), 1, () -> true);
    hca.started(mailbox);
    hca.core.start(mailbox);
    pd = hca.allocPd();
    cq = hca.createCq(8, ReceiveContext.POLLING, null);
  }

  /** A queue pair that may send: the link is down, so that what an unreliable one sends is lost and complete. */
  public QueuePair connected(QpType type, SharedReceiveQueue srq) {
    return connected(type, srq, cq);
  }

  /** The same, completing elsewhere. */
  public QueuePair connected(QpType type, SharedReceiveQueue srq, CompletionQueue cq) {
    QueuePair qp = hca.createQp(pd, new QpInitAttr(cq, cq, 4, srq == null ? 4 : 0, 1, 1, 8, true).withSrq(srq).withType(type));
    qp.modify(QpAttr.init(0));
    qp.modify((type == QpType.RC ? QpAttr.rtr() : QpAttr.rtrUc()).destLid(PEER_LID).destQpNum(PEER_QP).rqPsn(PSN).pathMtu(MTU));
    qp.modify(type == QpType.RC ? QpAttr.rts(PSN) : QpAttr.rtsUnreliable(PSN));
    return qp;
  }

  /** A packet from the peer of {@link #connected}, without bytes. */
  public Packet fromPeer(QueuePair qp, int opcode) {
    return new Packet(opcode, PEER_LID, hca.lid(), 0, false, true,
        Packet.DEFAULT_PKEY, qp.qpNum(), PSN, 0, 0, 0, 0, 0, 0, 0, 0, Payload.EMPTY);
  }

  /** What the HCA's actor does when a packet comes. */
  public void receive(Packet packet) {
    hca.core.onPacket(packet);
  }

  /** What the HCA's actor does when it is told of a doorbell. */
  public void onDoorbell(QueuePair qp) {
    hca.core.onDoorbell((Qp) qp);
    hca.core.pump();
  }

  /** Messages that mattered so far. */
  public int told() {
    return mailbox.told.get();
  }
}
