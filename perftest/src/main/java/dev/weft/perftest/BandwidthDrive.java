package dev.weft.perftest;

import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.service.measure.LatencyRecorder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Sends as many messages as the queues take. Without verification, only some messages request a completion, as in the perftest package. With
 * verification, each written message is read back and compared before its slot is used again.
 */
final class BandwidthDrive extends Drive {
  private static final int POLL_BATCH = 32;
  private static final int SIGNAL_INTERVAL_MAX = 64;
  private static final int LANE_SHIFT = 48;
  private static final long READ_BACK = 1L << 47;
  private static final long COUNT_MASK = READ_BACK - 1;
  private static final long PEAK_WINDOW_NS = 1_000_000;

  private static final class Lane {
    final NearConnection c;
    final long[] dueNs;
    long posted;
    long done;

    Lane(NearConnection c, int depth) {
      this.c = c;
      dueNs = new long[depth];
    }
  }

  private final Lane[] lanes;
  private final CompletionQueue cq;
  private final PerfOperation operation;
  private final boolean readsBack;
  private final int signalInterval;
  private final WorkCompletion[] wcs = new WorkCompletion[POLL_BATCH];
  private final WorkRequest wr = new WorkRequest();
  private LatencyRecorder recorder;
  private long passStart;
  private long passEndEach;
  private long deadlineNs;
  private boolean expired;
  private long doneTotal;
  private long windowNs;
  private long windowMessages;
  private double peakPerNs;

  BandwidthDrive(PerfParameters p, List<NearConnection> connections, CompletionQueue cq) {
    super(p);
    this.cq = cq;
    operation = p.operation();
    readsBack = p.verify() && (operation == PerfOperation.WRITE || operation == PerfOperation.WRITE_IMM);
    signalInterval = p.verify() || isRated() ? 1 : Math.clamp(p.depth() / 2, 1, SIGNAL_INTERVAL_MAX);
    lanes = connections.stream().map(c -> new Lane(c, p.depth())).toArray(Lane[]::new);
    for (int i = 0; i < POLL_BATCH; i++) {
      wcs[i] = new WorkCompletion();
    }
  }

  @Override
  void onStart(long count, long durationNs, LatencyRecorder newRecorder) {
    recorder = newRecorder;
    passStart = doneTotal;
    passEndEach = count == 0 ? Long.MAX_VALUE : lanes[0].posted + count;
    deadlineNs = durationNs == Long.MAX_VALUE ? Long.MAX_VALUE : startNs + durationNs;
    expired = false;
    windowNs = startNs;
    windowMessages = doneTotal;
    peakPerNs = 0;
    postAll();
  }

  @Override
  long messages() {
    return doneTotal - passStart;
  }

  @Override
  long messagesEver() {
    return doneTotal;
  }

  @Override
  long messagesOn(int connection) {
    return lanes[connection].done;
  }

  /** Returns the messages per second in the best millisecond of the pass, at least the average of the pass. */
  double peakPerSecond() {
    double average = messages() / (double) Math.max(1, endNs - startNs);
    return 1e9 * Math.max(peakPerNs, average);
  }

  @Override
  int look() {
    int work = 0;
    int count;
    while (!isFinished() && (count = cq.poll(wcs)) > 0) {
      work += count;
      for (int i = 0; i < count; i++) {
        onCompletion(wcs[i]);
      }
      afterCompletions(System.nanoTime());
    }
    if (isRated() && !isFinished()) {
      postAll();
      return 1;
    }
    return work;
  }

  private void onCompletion(WorkCompletion wc) {
    if (!check(wc)) {
      return;
    }
    Lane lane = lanes[(int) (wc.wrId() >>> LANE_SHIFT)];
    long message = wc.wrId() & COUNT_MASK;
    boolean isReadBack = (wc.wrId() & READ_BACK) != 0;
    if (readsBack && !isReadBack) {
      readBack(lane, wc.wrId(), message);
      return;
    }
    if (p.verify()) {
      verify(lane, message);
    }
    doneTotal += message - lane.done;
    lane.done = message;
    if (isRated() && recorder != null) {
      recorder.record(System.nanoTime() - lane.dueNs[(int) (message % p.depth())]);
    }
  }

  private void afterCompletions(long nowNs) {
    if (nowNs - windowNs >= PEAK_WINDOW_NS) {
      peakPerNs = Math.max(peakPerNs, (doneTotal - windowMessages) / (double) (nowNs - windowNs));
      windowNs = nowNs;
      windowMessages = doneTotal;
      progressed();
    }
    if (nowNs - deadlineNs >= 0) {
      expired = true;
    }
    postAll();
    if (isPassOver()) {
      finish(nowNs);
    }
  }

  private boolean isPassOver() {
    for (Lane lane : lanes) {
      if (lane.done != lane.posted || mayPostLater(lane)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the pass may still send a message. A pass ends with a signaled message, so that its end is detected. */
  private boolean mayPostLater(Lane lane) {
    return lane.posted < passEndEach && !(expired && lane.posted % signalInterval == 0);
  }

  private void postAll() {
    for (int i = 0; i < lanes.length; i++) {
      Lane lane = lanes[i];
      while (lane.posted - lane.done < p.depth() && mayPostLater(lane) && isDue(lane)) {
        post(lane, i);
      }
    }
  }

  private boolean isDue(Lane lane) {
    if (!isRated()) {
      return true;
    }
    long dueNs = nextDueNs();
    if (System.nanoTime() - dueNs < 0) {
      return false;
    }
    lane.dueNs[(int) ((lane.posted + 1) % p.depth())] = dueNs;
    advanceRate();
    return true;
  }

  private void post(Lane lane, int index) {
    NearConnection c = lane.c;
    long message = ++lane.posted;
    long slot = p.verify() ? (message - 1) % p.depth() : 0;
    if (p.verify()) {
      prepareMemory(c, slot, message);
    }
    long remote = c.far.addr() + slot * p.strideBytes();
    switch (operation) {
      case SEND -> wr.send();
      case WRITE -> wr.write(remote, c.far.rkey());
      case WRITE_IMM -> wr.writeWithImm(remote, c.far.rkey(), (int) message);
      case READ -> wr.read(remote, c.far.rkey());
      case CAS -> wr.compareAndSwap(c.far.addr(), c.far.rkey(), message - 1, message);
      case FADD -> wr.fetchAndAdd(c.far.addr(), c.far.rkey(), 1);
    }
    if (p.isInline()) {
      wr.inline(c.memory.segment.asSlice(c.outOffset(slot, p), p.sizeBytes()));
    } else {
      wr.sge(c.memory.region, operation.isReadOrAtomic() ? c.inOffset(slot, p) : c.outOffset(slot, p), p.sizeBytes());
    }
    if (message % signalInterval == 0 || message == passEndEach) {
      wr.wrId((long) index << LANE_SHIFT | message).signaled();
    }
    c.address(wr);
    c.qp.postSend(wr);
  }

  private void prepareMemory(NearConnection c, long slot, long message) {
    if (operation.isReadOrAtomic()) {
      scrub(c, c.inOffset(slot, p));
    } else {
      Pattern.fill(c.memory.segment, c.outOffset(slot, p), p.sizeBytes(), message);
    }
  }

  private void scrub(NearConnection c, long offset) {
    c.memory.segment.asSlice(offset, p.sizeBytes()).fill((byte) 0xa5);
  }

  private void readBack(Lane lane, long wrId, long message) {
    NearConnection c = lane.c;
    long slot = (message - 1) % p.depth();
    scrub(c, c.checkOffset(slot, p));
    c.qp.postSend(wr.read(c.far.addr() + slot * p.strideBytes(), c.far.rkey())
        .sge(c.memory.region, c.checkOffset(slot, p), p.sizeBytes()).wrId(wrId | READ_BACK).signaled());
  }

  private void verify(Lane lane, long message) {
    NearConnection c = lane.c;
    MemorySegment memory = c.memory.segment;
    long slot = (message - 1) % p.depth();
    switch (operation) {
      case SEND -> { }
      case WRITE, WRITE_IMM -> verifyBytes(memory, c.checkOffset(slot, p), message, message);
      case READ -> verifyBytes(memory, c.inOffset(slot, p), message, slot);
      case CAS, FADD -> {
        long result = memory.get(ValueLayout.JAVA_LONG, c.inOffset(slot, p));
        if (result != message - 1) {
          wrong(message, "returned " + result + " instead of " + (message - 1));
        }
      }
    }
  }

  private void verifyBytes(MemorySegment memory, long offset, long message, long expected) {
    int at = Pattern.firstWrong(memory, offset, p.sizeBytes(), expected);
    if (at >= 0) {
      wrong(message, "differs at byte " + at);
    }
  }
}
