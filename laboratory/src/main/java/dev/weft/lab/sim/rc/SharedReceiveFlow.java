package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.hca.verbs.WrOpcode;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.Violations;
import java.util.ArrayList;
import java.util.List;

/**
 * Several reliable connections into one shared receive queue, which is often empty and is resized during the run. Each message arrives once, in
 * order, with its bytes. No receive is lost or consumed twice. The limit event comes once for each arming, and at the right time.
 */
final class SharedReceiveFlow extends SideFlow {
  private static final int SENDERS_MAX = 4;
  private static final int MESSAGES_MAX = 30;
  private static final int SEND_DEPTH = 8;

  /** One connection's sending end. */
  private final class Sender {
    final FlowSide side;
    final int messages = draw.skewed(1, MESSAGES_MAX);
    final long salt = draw.nextLong();
    QueuePair qp;
    QueuePair far;
    int posted;
    int completed;
    int arrived;

    Sender(SimNode node) {
      side = new FlowSide(node, SEND_DEPTH);
    }

    void onSent(WorkCompletion wc) {
      if (wc.wrId() != completed || !wc.isSuccess() || completed >= posted) {
        run.violations().add(this + " expected the completion of message " + completed + ", got " + wc);
        return;
      }
      completed++;
    }

    @Override
    public String toString() {
      return "sender to a shared queue on node " + side.node.index;
    }
  }

  private final FlowSide side;
  private final int slotBytes;
  private final int mtu;
  private int capacity;
  private final int slots;
  private final List<Sender> senders = new ArrayList<>();
  private final List<Integer> free = new ArrayList<>();
  private final ReceiveLedger ledger;
  private final WorkRequest request = new WorkRequest();
  private final ReceiveRequest receive = new ReceiveRequest();
  private SharedReceiveQueue srq;
  private boolean armed;
  private int limit;

  SharedReceiveFlow(RunJournal run, Draw draw, List<SimNode> nodes) {
    super(run, draw);
    int home = draw.between(0, nodes.size() - 1);
    mtu = draw.pick(256, 1024);
    slotBytes = draw.pick(64, mtu, 3 * mtu + 1);
    capacity = draw.between(1, 8);
    slots = 4 * capacity;
    side = new FlowSide(nodes.get(home), slots + 1);
    for (int i = draw.between(1, SENDERS_MAX); i > 0; i--) {
      senders.add(new Sender(nodes.get((home + i) % nodes.size())));
    }
    for (int slot = 0; slot < slots; slot++) {
      free.add(slot);
    }
    ledger = new ReceiveLedger("the shared receive queue of a flow on node " + side.node.index, run.violations());
  }

  @Override
  SimNode home() {
    return side.node;
  }

  @Override
  void create(SimulationMemory memory) {
    side.create(memory, slots * slotBytes);
    srq = side.node.hca.createSrq(side.pd, new SrqAttr(capacity, 1, 0));
    for (Sender sender : senders) {
      sender.side.create(memory, SEND_DEPTH * slotBytes);
      sender.qp = sender.side.queuePair(QpType.RC, SEND_DEPTH, 1, null);
      sender.far = side.queuePair(QpType.RC, 1, 1, srq);
      RcPair.connect(sender.side.node, sender.qp, side.node, sender.far, mtu, Access.ALL, draw);
    }
  }

  @Override
  void step() {
    checkLimit();
    side.poll(draw, this::onReceived);
    if (draw.chance(0.2)) {
      resize();
    }
    if (!armed && draw.chance(0.3)) {
      armed = true;
      limit = draw.between(1, capacity);
      srq.arm(limit);
    }
    post(draw.between(0, 3));
    for (Sender sender : senders) {
      sender.side.poll(draw, sender::onSent);
      for (int left = draw.between(0, 3); left > 0 && sender.posted < sender.messages
          && sender.posted - sender.completed < SEND_DEPTH; left--) {
        send(sender);
      }
    }
  }

  /** All events that have come are known, so an armed queue must not have reached its limit. */
  private void checkLimit() {
    if (armed ? srq.query().limit() != limit || srq.size() < limit : srq.query().limit() != 0) {
      run.violations().add(srq + " is " + (armed ? "" : "not ") + "armed for " + limit + ", and its event has " + (armed ? "not " : "")
          + "come");
    }
  }

  private void resize() {
    int least = Math.max(1, Math.max(srq.size(), srq.query().limit()));
    capacity = draw.between(least, Math.max(least, slots));
    srq.resize(capacity, 1);
  }

  private void post(int count) {
    for (int left = count; left > 0 && !free.isEmpty() && srq.size() < capacity; left--) {
      int slot = free.removeFirst();
      side.memory.asSlice((long) slot * slotBytes, slotBytes).fill(SimNode.GUARD);
      ledger.posted(slot);
      srq.postReceive(receive.receive(slot).sge(side.region, (long) slot * slotBytes, slotBytes));
    }
  }

  private void send(Sender sender) {
    int message = sender.posted++;
    int length = length(message);
    int offset = message % SEND_DEPTH * slotBytes;
    sender.side.fill(offset, length, sender.salt, message);
    sender.qp.postSend(request.sendWithImm(message).sge(sender.side.region, offset, length).wrId(message).signaled());
    run.onOperation(WrOpcode.SEND_WITH_IMM);
  }

  private int length(int message) {
    return message * 37 % (slotBytes + 1);
  }

  private void onReceived(WorkCompletion wc) {
    Sender from = senders.stream().filter(sender -> sender.far.qpNum() == wc.qpNum()).findFirst().orElse(null);
    if (!ledger.consumed(wc.wrId()) || from == null || !wc.isSuccess() || wc.immData() != from.arrived || from.arrived >= from.posted) {
      run.violations().add("a shared receive queue on node " + side.node.index + " got "
          + (from == null ? "" : "from " + from + ", which has sent " + from.posted + " messages of which " + from.arrived + " came, ")
          + wc);
      return;
    }
    int slot = (int) wc.wrId();
    int length = length(from.arrived);
    int wrong = wc.byteLen() == length ? side.firstWrong(slot * slotBytes, length, from.salt, from.arrived) : wc.byteLen();
    if (wrong >= 0) {
      run.violations().add("message " + from.arrived + " of " + from + " is wrong at byte " + wrong + ": " + wc);
    }
    free.add(slot);
    from.arrived++;
    run.note(wc.immData());
  }

  @Override
  boolean causes(SimNode node, AsyncEvent event) {
    if (node != side.node || event.type() != AsyncEvent.Type.SRQ_LIMIT_REACHED || event.number() != srq.number()) {
      return false;
    }
    if (!armed) {
      run.violations().add(srq + " reported its limit although that was not armed");
    }
    armed = false;
    return true;
  }

  @Override
  boolean isDone() {
    for (Sender sender : senders) {
      if (sender.completed < sender.messages || sender.arrived < sender.messages) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void checkFinished(Violations violations) {
    side.poll(draw, this::onReceived);
    side.check(run.violations());
    senders.forEach(sender -> sender.side.check(run.violations()));
    ledger.check(srq.size());
    checkLimit();
  }
}
