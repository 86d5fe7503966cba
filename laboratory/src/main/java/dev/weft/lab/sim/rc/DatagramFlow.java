package dev.weft.lab.sim.rc;

import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.RoceV2;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.hca.verbs.WrOpcode;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.FaultPlan;
import dev.weft.lab.kit.Violations;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Messages of an unreliable service: UC to one receiver, UD to one or to a multicast group. Each message that completes at a receiver must be intact;
 * data that the sender writes into the buffer after completion must not appear. Messages with a wrong queue key must not arrive.
 */
final class DatagramFlow extends SideFlow {
  private static final int MESSAGES_MAX = 50;
  private static final int QKEY = 0x1234;
  private static final int WRONG_QKEY = 0x4321;
  private static final int SEND_DEPTH = 16;

  /** A receiver of the messages. */
  private final class Receiver {
    final FlowSide side;
    final ReceiveLedger ledger;
    final Arrivals arrivals;
    final int slots = draw.between(2, 24);
    final boolean shared = draw.chance(0.4);
    final ReceiveRequest request = new ReceiveRequest();
    final List<Integer> free = new ArrayList<>();
    CompletableFuture<Integer> joined;
    SharedReceiveQueue srq;
    QueuePair qp;

    Receiver(SimNode node, boolean mayRepeat, boolean mayOvertake) {
      side = new FlowSide(node, slots + 1);
      String name = type + " receiver on node " + node.index;
      ledger = new ReceiveLedger(name, run.violations());
      arrivals = new Arrivals(name, mayRepeat, mayOvertake, run.violations());
      for (int slot = 0; slot < slots; slot++) {
        free.add(slot);
      }
    }

    void create(SimulationMemory memory) {
      side.create(memory, writesAt() + messages * lengthMax);
      srq = shared ? side.node.hca.createSrq(side.pd, new SrqAttr(slots, 1, 0)) : null;
      qp = side.queuePair(type, 1, slots, srq);
      qp.modify(type == QpType.UD ? QpAttr.initUd(QKEY) : QpAttr.init(Access.ALL));
      joined = group == null ? null : side.node.node.joinMulticast(group, false).toCompletableFuture();
      post(slots);
    }

    int writesAt() {
      return slots * slotBytes;
    }

    void post(int count) {
      for (int left = Math.min(count, free.size()); left > 0; left--) {
        int slot = free.removeFirst();
        side.memory.asSlice((long) slot * slotBytes, slotBytes).fill(SimNode.GUARD);
        request.receive(slot).sge(side.region, (long) slot * slotBytes, slotBytes);
        ledger.posted(slot);
        if (srq == null) {
          qp.postReceive(request);
        } else {
          srq.postReceive(request);
        }
      }
    }

    void onCompletion(WorkCompletion wc) {
      int message = wc.immData();
      if (!ledger.consumed(wc.wrId()) || !wc.isSuccess() || !wc.hasImm() || message < 0 || message >= messages
          || wc.qpNum() != qp.qpNum()) {
        run.violations().add(this + " got what was not sent: " + wc);
        return;
      }
      int slot = (int) wc.wrId();
      free.add(slot);
      boolean write = wc.opcode() == WcOpcode.RECV_RDMA_WITH_IMM;
      int offset = write ? writesAt() + message * lengthMax : slot * slotBytes + header;
      int length = lengths[message];
      if (write != writes[message] || wrongKey[message] || wc.byteLen() != length + (write ? 0 : header)
          || side.firstWrong(offset, length, salt, message) >= 0) {
        run.violations().add(this + ": message " + message + " of " + length + " bytes is not whole, byte "
            + side.firstWrong(offset, length, salt, message) + ": " + wc);
      } else if (type == QpType.UD && !isGuarded(slot * slotBytes + header + length, slotBytes - header - length)) {
        run.violations().add(this + ": message " + message + " wrote behind its end");
      }
      arrivals.arrived(message);
      run.note(message);
    }

    private boolean isGuarded(int from, int count) {
      for (int i = 0; i < count; i++) {
        if (side.memory.get(ValueLayout.JAVA_BYTE, from + i) != SimNode.GUARD) {
          return false;
        }
      }
      return true;
    }

    void checkFinished(boolean complete) {
      side.poll(draw, this::onCompletion);
      // A UC message that broke off has taken a receive, which stays with its queue pair.
      boolean taken = type == QpType.UC && srq != null && ledger.waiting() == srq.size() + 1;
      ledger.check(srq == null ? qp.receiveQueueSize() : srq.size() + (taken ? 1 : 0));
      if (complete && side.node.hca.inspect().counters().receivesMissing() == 0) {
        arrivals.checkComplete(expected);
      }
      side.check(run.violations());
    }

    @Override
    public String toString() {
      return type + " receiver on node " + side.node.index;
    }
  }

  private final QpType type;
  private final String group;
  private final int mtu;
  private final int header;
  private final int messages;
  private final int lengthMax;
  private final int slotBytes;
  private final int serviceLevel;
  private final long salt;
  private final int[] lengths;
  private final boolean[] writes;
  private final boolean[] wrongKey;
  private final int expected;
  /** Whether receives are posted again as soon as possible. */
  private final boolean eager;
  private final FlowSide sender;
  private final List<Receiver> receivers = new ArrayList<>();
  private final WorkRequest request = new WorkRequest();
  private final boolean lossless;
  private QueuePair qp;
  private AddressHandle handle;
  private int posted;
  private int completed;

  /** @param multicast whether each message goes to a group of receivers */
  DatagramFlow(RunJournal run, Draw draw, QpType type, boolean multicast, List<SimNode> nodes, FaultPlan faults, int number) {
    super(run, draw);
    this.type = type;
    group = multicast ? "group-" + number : null;
    mtu = draw.pick(256, 512, 1024);
    header = type == QpType.UD ? RoceV2.GRH_LENGTH : 0;
    messages = draw.skewed(1, MESSAGES_MAX);
    lengthMax = type == QpType.UD ? mtu : draw.pick(mtu, 3 * mtu, 5 * mtu + 1);
    slotBytes = header + lengthMax + draw.between(0, 16);
    serviceLevel = draw.chance(0.5) ? 0 : draw.between(0, 15);
    salt = draw.nextLong();
    eager = draw.chance(0.5);
    lengths = new int[messages];
    writes = new boolean[messages];
    wrongKey = new boolean[messages];
    int good = 0;
    for (int i = 0; i < messages; i++) {
      lengths[i] = draw.chance(0.1) ? 0 : draw.between(1, lengthMax);
      writes[i] = type == QpType.UC && draw.chance(0.3);
      wrongKey[i] = type == QpType.UD && draw.chance(0.05);
      good += wrongKey[i] ? 0 : 1;
    }
    expected = good;
    boolean lost = faults.link().loss() > 0 || faults.link().corruption() > 0 || !faults.faults().isEmpty();
    // A repeated or reordered packet cannot damage a datagram.
    lossless = type == QpType.UD ? !lost : faults.isCalm();
    int home = draw.between(0, nodes.size() - 1);
    sender = new FlowSide(nodes.get(home), SEND_DEPTH);
    boolean repeats = faults.link().duplication() > 0;
    boolean overtakes = faults.link().reordering() > 0;
    int count = multicast ? draw.between(1, nodes.size()) : 1;
    for (int i = 1; i <= count; i++) {
      receivers.add(new Receiver(nodes.get((home + i) % nodes.size()), repeats, overtakes));
    }
  }

  @Override
  SimNode home() {
    return sender.node;
  }

  @Override
  void create(SimulationMemory memory) {
    sender.create(memory, messages * lengthMax);
    receivers.forEach(receiver -> receiver.create(memory));
    qp = sender.queuePair(type, SEND_DEPTH, 1, null);
    Receiver first = receivers.getFirst();
    if (type == QpType.UC) {
      int psn = draw.psn();
      qp.modify(QpAttr.init(Access.ALL));
      qp.modify(uc(first.side.node, first.qp, 0));
      qp.modify(QpAttr.rtsUnreliable(psn));
      first.qp.modify(uc(sender.node, qp, psn));
    } else {
      qp.modify(QpAttr.initUd(QKEY));
      qp.modify(QpAttr.rtrUd());
      qp.modify(QpAttr.rtsUnreliable(draw.psn()));
      receivers.forEach(receiver -> receiver.qp.modify(QpAttr.rtrUd()));
    }
  }

  private QpAttr uc(SimNode peer, QueuePair peerQp, int psn) {
    return QpAttr.rtrUc().destLid(peer.hca.lid()).destQpNum(peerQp.qpNum()).rqPsn(psn).pathMtu(mtu)
        .serviceLevel(serviceLevel);
  }

  @Override
  void step() {
    sender.poll(draw, this::onSent);
    for (Receiver receiver : receivers) {
      receiver.side.poll(draw, receiver::onCompletion);
      receiver.post(eager ? receiver.slots : draw.between(0, receiver.slots));
    }
    if (type == QpType.UD && handle == null && !address()) {
      return;
    }
    for (int left = draw.between(0, SEND_DEPTH); left > 0 && posted < messages && posted - completed < SEND_DEPTH; left--) {
      postSend(posted++);
    }
  }

  /** Sets the destination of datagrams; returns false while not all receivers have joined the group. */
  private boolean address() {
    int lid = receivers.getFirst().side.node.hca.lid();
    if (group != null) {
      for (Receiver receiver : receivers) {
        if (!receiver.joined.isDone()) {
          return false;
        }
      }
      lid = receivers.getFirst().joined.join();
      for (Receiver receiver : receivers) {
        receiver.side.node.hca.attachMulticast(receiver.qp, lid);
      }
    }
    handle = sender.node.hca.createAh(sender.pd, lid, serviceLevel);
    return true;
  }

  private void postSend(int message) {
    int offset = message * lengthMax;
    sender.fill(offset, lengths[message], salt, message);
    Receiver first = receivers.getFirst();
    if (writes[message]) {
      request.writeWithImm(first.side.region.addr() + first.writesAt() + offset, first.side.region.rkey(), message);
    } else {
      request.sendWithImm(message);
    }
    request.sge(sender.region, offset, lengths[message]).wrId(message).signaled();
    if (type == QpType.UD) {
      request.to(handle, group == null ? first.qp.qpNum() : Packet.MULTICAST_QP, wrongKey[message] ? WRONG_QKEY : QKEY);
    }
    qp.postSend(request);
    run.onOperation(writes[message] ? WrOpcode.RDMA_WRITE_WITH_IMM : WrOpcode.SEND_WITH_IMM);
  }

  /** The bytes may change now: packets in flight carry copies. */
  private void onSent(WorkCompletion wc) {
    if (wc.wrId() != completed || !wc.isSuccess() || completed >= posted) {
      run.violations().add(type + " sender on node " + sender.node.index + " expected the completion of message " + completed + ", got "
          + wc);
      return;
    }
    sender.memory.asSlice((long) completed * lengthMax, lengthMax).fill(SimNode.GUARD);
    completed++;
  }

  @Override
  boolean isDone() {
    return completed == messages;
  }

  @Override
  public void checkFinished(Violations violations) {
    sender.poll(draw, this::onSent);
    sender.check(run.violations());
    receivers.forEach(receiver -> receiver.checkFinished(lossless));
  }
}
