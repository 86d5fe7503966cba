package dev.weft.perftest;

import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.service.measure.LatencyRecorder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Sends one message at a time: a ping-pong for sends and writes, a round trip to the far HCA for reads and atomics. */
final class LatencyDrive extends Drive {
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
  private static final int SIGNAL_INTERVAL = 32;
  /** How long a spinning reader waits for the rest of a message after its last byte has arrived. */
  private static final long TEAR_NS = 1_000_000_000L;

  /** Time after which a message of an unreliable service counts as lost. */
  private static final long LOST_AFTER_NS = 100_000_000L;
  /** The test fails after this many lost messages in a row. */
  private static final int LOST_IN_A_ROW_MAX = 50;

  private final NearConnection c;
  private final CompletionQueue cq;
  private final PerfOperation operation;
  private final WorkCompletion wc = new WorkCompletion();
  private final WorkRequest wr = new WorkRequest();
  private final ReceiveRequest rr = new ReceiveRequest();
  private final MemorySegment memory;
  private final long lastByteAt;
  private LatencyRecorder recorder;
  private long message;
  private long passStart;
  private long passEnd;
  private long deadlineNs;
  private long postedNs;
  private long sentNs;
  private boolean waiting;
  private long lost;
  private int lostInARow;

  LatencyDrive(PerfParameters p, NearConnection c, CompletionQueue cq) {
    super(p);
    this.c = c;
    this.cq = cq;
    operation = p.operation();
    memory = c.memory.segment;
    lastByteAt = c.inOffset(0, p) + p.headerBytes() + p.sizeBytes() - 1;
    if (operation.needsReceives()) {
      postReceive();
      postReceive();
    }
  }

  private void postReceive() {
    rr.receive(0);
    if (operation == PerfOperation.SEND) {
      rr.sge(c.memory.region, c.inOffset(0, p), p.headerBytes() + p.sizeBytes());
    }
    c.qp.postReceive(rr);
  }

  @Override
  void onStart(long count, long durationNs, LatencyRecorder newRecorder) {
    recorder = newRecorder;
    passStart = message;
    passEnd = count == 0 ? Long.MAX_VALUE : message + count;
    deadlineNs = durationNs == Long.MAX_VALUE ? Long.MAX_VALUE : startNs + durationNs;
    waiting = false;
    lost = 0;
    lostInARow = 0;
    post(startNs);
  }

  @Override
  long lost() {
    return lost;
  }

  @Override
  void lookForLoss() {
    long nowNs = System.nanoTime();
    if (isFinished() || !waiting || nowNs - sentNs < LOST_AFTER_NS || c.qp.sendQueueSize() > 0) {
      return; // A message in the send queue is not lost, and the next message must not overwrite it.
    }
    waiting = false;
    lost++;
    progressed();
    if (++lostInARow == LOST_IN_A_ROW_MAX) {
      fail(p.test().cliName() + ": the last " + lostInARow + " messages were lost");
    } else {
      next(nowNs);
    }
  }

  @Override
  long messages() {
    return message - passStart;
  }

  @Override
  long messagesEver() {
    return message;
  }

  @Override
  long messagesOn(int connection) {
    return message;
  }

  @Override
  int look() {
    int work = 0;
    while (!isFinished() && cq.poll(wc)) {
      work++;
      if (check(wc) && wc.opcode() == operation.reply()) {
        onCompletion();
      }
    }
    if (operation == PerfOperation.WRITE && waiting && (byte) BYTE.getAcquire(memory, lastByteAt) == (byte) message) {
      work++;
      onReply();
    }
    if (!isFinished() && !waiting) {
      long nowNs = System.nanoTime();
      if (nowNs - nextDueNs() >= 0) {
        post(nextDueNs());
      }
      work++;
    }
    return isRated() && !isFinished() ? 1 : work;
  }

  private void onCompletion() {
    if (operation.needsReceives()) {
      if (p.isUnreliable() && !isAnswer()) {
        postReceive(); // The answer is late: its message already counts as lost.
        return;
      }
      int length = wc.byteLen() - p.headerBytes();
      if (p.verify() && length != p.sizeBytes()) {
        wrong(message, "came back with " + length + " bytes instead of " + p.sizeBytes());
      }
      if (p.verify() && wc.hasImm() && wc.immData() != (int) message) {
        wrong(message, "came back with immediate " + wc.immData() + " instead of " + (int) message);
      }
      postReceive();
    }
    onReply();
  }

  private boolean isAnswer() {
    return waiting && (wc.hasImm() ? wc.immData() == (int) message : memory.get(ValueLayout.JAVA_BYTE, lastByteAt) == (byte) message);
  }

  private void onReply() {
    long nowNs = System.nanoTime();
    waiting = false;
    lostInARow = 0;
    if (recorder != null) {
      recorder.record(nowNs - postedNs);
    }
    if (p.verify()) {
      verify();
    }
    if ((message & 0xff) == 0) {
      progressed();
    }
    next(nowNs);
  }

  private void next(long nowNs) {
    if (message == passEnd || nowNs - deadlineNs >= 0) {
      finish(nowNs);
    } else if (!isRated()) {
      post(p.verify() ? System.nanoTime() : nowNs);
    }
  }

  private void verify() {
    long in = c.inOffset(0, p) + p.headerBytes();
    if (operation.isAtomic()) {
      long result = memory.get(ValueLayout.JAVA_LONG, in);
      if (result != message - 1) {
        wrong(message, "returned " + result + " instead of " + (message - 1));
      }
      return;
    }
    long expected = operation == PerfOperation.READ ? 0 : message;
    int at = Pattern.firstWrong(memory, in, p.sizeBytes(), expected);
    for (long begun = System.nanoTime(); at >= 0 && operation == PerfOperation.WRITE && System.nanoTime() - begun < TEAR_NS;) {
      Thread.onSpinWait();
      if (p.context() == PerfContext.ISR) {
        break;
      }
      at = Pattern.firstWrong(memory, in, p.sizeBytes(), expected);
    }
    if (at >= 0) {
      wrong(message, "differs at byte " + at);
    }
  }

  /** Starts the next message. {@code nowNs} is its scheduled start; the latency is measured from there. */
  private void post(long nowNs) {
    message++;
    postedNs = nowNs;
    sentNs = isRated() ? System.nanoTime() : nowNs;
    waiting = true;
    advanceRate();
    prepareMemory();
    switch (operation) {
      case SEND -> wr.send();
      case WRITE -> wr.write(c.far.addr(), c.far.rkey());
      case WRITE_IMM -> wr.writeWithImm(c.far.addr(), c.far.rkey(), (int) message);
      case READ -> wr.read(c.far.addr(), c.far.rkey());
      case CAS -> wr.compareAndSwap(c.far.addr(), c.far.rkey(), message - 1, message);
      case FADD -> wr.fetchAndAdd(c.far.addr(), c.far.rkey(), 1);
    }
    if (p.isInline()) {
      wr.inline(memory.asSlice(c.outOffset(0, p), p.sizeBytes()));
    } else {
      wr.sge(c.memory.region, operation.isReadOrAtomic() ? c.inOffset(0, p) : c.outOffset(0, p), p.sizeBytes());
    }
    if (operation.isReadOrAtomic() || message % SIGNAL_INTERVAL == 0) {
      wr.signaled();
    }
    c.address(wr);
    c.qp.postSend(wr);
  }

  private void prepareMemory() {
    if (operation.isReadOrAtomic()) {
      if (p.verify()) {
        memory.asSlice(c.inOffset(0, p), p.sizeBytes()).fill((byte) 0xa5);
      }
    } else if (p.verify()) {
      Pattern.fill(memory, c.outOffset(0, p), p.sizeBytes(), message);
    } else {
      memory.set(ValueLayout.JAVA_BYTE, c.outOffset(0, p) + p.sizeBytes() - 1, (byte) message);
    }
  }
}
