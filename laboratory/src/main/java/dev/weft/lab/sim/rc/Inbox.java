package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.Violations;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The receives of one end. It posts them early or late, and checks that every message arrives once, in order, with its bytes, and writes nothing
 * else. Buffers form a ring: a slot is posted again when its message was checked.
 */
final class Inbox {
  private static final int RING_BYTES_MAX = 120_000;
  /** Marks a receive in its wrId. */
  static final long RECEIVE_BIT = 1L << 62;

  private final RunJournal run;
  private final SimEnd end;
  private final List<Op> expected;
  private final Draw draw;
  private final int depth;
  private final int slotBytes;
  private final int ringAt;
  private final ReceiveRequest request = new ReceiveRequest();
  private int posted;
  private int received;

  Inbox(RunJournal run, SimEnd end, List<Op> expected, Draw draw) {
    this.run = run;
    this.end = end;
    this.expected = expected;
    this.draw = draw;
    int longest = expected.stream().filter(Op::isSend).mapToInt(op -> op.length).max().orElse(0);
    slotBytes = longest + draw.between(0, 40);
    depth = Math.max(1, Math.min(end.shape.receiveDepth(), RING_BYTES_MAX / (slotBytes + 1)));
    ringAt = end.node.allocateLocal(depth * slotBytes);
  }

  /** Maximum number of posted receives. */
  int depth() {
    return depth;
  }

  /** Number of receives that messages will use. */
  int due() {
    return expected.size();
  }

  /** Number of receives that will be posted. */
  int total() {
    return expected.size() + Math.min(depth, end.shape.spareReceives());
  }

  boolean isAllPosted() {
    return posted == total();
  }

  /** Posts as many receives as fit, or a few if this end posts late. */
  void post() {
    int count = end.shape.lateReceives() ? draw.between(0, 2) : depth;
    while (count-- > 0 && posted < total() && posted - received < depth) {
      end.qp().postReceive(build(posted));
      run.onPosted(posted++);
    }
  }

  private ReceiveRequest build(int index) {
    request.receive(RECEIVE_BIT | ((long) end.id << 32) | index);
    int at = slotOffset(index);
    int left = slotBytes;
    for (int elements = draw.between(1, end.shape.sgeMax()); elements > 0; elements--) {
      int part = elements == 1 ? left : draw.between(0, left);
      request.sge(end.node.region(Piece.Area.LOCAL), at, part);
      at += part;
      left -= part;
    }
    return request;
  }

  private int slotOffset(int index) {
    return ringAt + index % depth * slotBytes;
  }

  void onCompletion(WorkCompletion wc) {
    if (received >= expected.size()) {
      run.violations().add(end + " received a message more than was sent: " + wc);
      return;
    }
    Op op = expected.get(received);
    if (!isExpected(op, wc)) {
      run.violations().add(end + " expected " + op + " in receive " + received + ", got " + wc);
      return;
    }
    checkBytes(op);
    received++;
    run.onCompletionSeen();
  }

  private boolean isExpected(Op op, WorkCompletion wc) {
    return wc.isSuccess()
        && wc.wrId() == (RECEIVE_BIT | ((long) end.id << 32) | received)
        && wc.opcode() == (op.isSend() ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM)
        && wc.byteLen() == op.length
        && wc.hasImm() == op.hasImmediate()
        && (!op.hasImmediate() || wc.immData() == op.immediate)
        && wc.qpNum() == end.qp().qpNum();
  }

  /** Checks that the message's bytes are at the start of the slot with nothing after them; then clears the slot. */
  private void checkBytes(Op op) {
    MemorySegment slot = end.node.memory(Piece.Area.LOCAL).asSlice(slotOffset(received), slotBytes);
    int length = op.isSend() ? op.length : 0;
    long wrong = length == 0 ? -1 : slot.asSlice(0, length).mismatch(MemorySegment.ofArray(op.bytes));
    if (wrong >= 0) {
      run.violations().add(end + ": " + op + " arrived with a wrong byte at " + wrong);
    }
    MemorySegment rest = slot.asSlice(length);
    for (long at = 0; at < rest.byteSize(); at++) {
      if (rest.get(java.lang.foreign.ValueLayout.JAVA_BYTE, at) != SimNode.GUARD) {
        run.violations().add(end + ": " + op + " wrote byte " + (length + at) + " of its receive buffer, behind its end");
        break;
      }
    }
    slot.asSlice(0, length).fill(SimNode.GUARD);
  }

  void checkFinished(Violations violations) {
    if (received != expected.size() || posted != total() || end.qp().receiveQueueSize() != posted - received) {
      violations.add(end + ": of " + expected.size() + " messages " + received + " were received; " + posted + " receives were"
          + " posted, the receive queue holds " + end.qp().receiveQueueSize());
    }
  }
}
