package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.CompletionCounter.Operation;
import dev.weft.hca.verbs.FlushLevel;
import dev.weft.hca.verbs.FlushType;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.hca.verbs.WrOpcode;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.Violations;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

/**
 * Batches of writes, atomic writes, atomics and reads, of which only the final FLUSH completes. Completion counters count the rest on both sides.
 *
 * <p>Checks: after a completed FLUSH, everything before it is in the target's memory, and each side has counted it once. A word that is written
 * atomically only ever has one of the written values, and never an earlier one again. At the end, a FLUSH of a region that does not grant it fails.
 */
final class PlacementFlow extends SideFlow {
  private enum Phase { POST, POSTED, REFUSED_POSTED, DONE }

  private static final int DATA_BYTES = 4096;
  private static final int WORDS = 4;
  private static final int WORDS_AT = DATA_BYTES;
  private static final int ADDED_AT = WORDS_AT + WORDS * Long.BYTES;
  private static final int TARGET_BYTES = ADDED_AT + Long.BYTES;
  private static final int BATCH_MAX = 6;
  private static final int BATCHES_MAX = 8;
  private static final int DEPTH = BATCH_MAX + 2;
  private static final int SLOT_BYTES = 1500;

  private final FlowSide owner;
  private final FlowSide peer;
  private final int batches;
  private final int mtu;
  private final byte[] model = new byte[DATA_BYTES];
  /** Values of each word in the order of their writes, and the index of the last value seen. */
  private final List<List<Long>> values = new ArrayList<>();
  private final int[] seen = new int[WORDS];
  private final Map<Operation, Long> expected = new EnumMap<>(Operation.class);
  private final Map<Operation, CompletionCounter> counters = new EnumMap<>(Operation.class);
  private final WorkRequest request = new WorkRequest();
  private QueuePair ownerQp;
  private QueuePair peerQp;
  private MemoryRegion withoutFlush;
  private Phase phase = Phase.POST;
  private int batch;
  private long sum;

  PlacementFlow(RunJournal run, Draw draw, List<SimNode> nodes) {
    super(run, draw);
    int home = draw.between(0, nodes.size() - 1);
    owner = new FlowSide(nodes.get(home), 2 * DEPTH);
    peer = new FlowSide(nodes.get((home + 1) % nodes.size()), 2 * DEPTH);
    batches = draw.between(1, BATCHES_MAX);
    mtu = draw.pick(256, 1024);
    Arrays.fill(model, SimNode.GUARD);
    for (int word = 0; word < WORDS; word++) {
      values.add(new ArrayList<>(List.of(0L)));
    }
    for (Operation operation : Operation.values()) {
      expected.put(operation, 0L);
    }
  }

  @Override
  SimNode home() {
    return owner.node;
  }

  @Override
  void create(SimulationMemory memory) {
    owner.create(memory, TARGET_BYTES, Access.FLUSH_GLOBAL);
    owner.memory.asSlice(WORDS_AT).fill((byte) 0);
    withoutFlush = owner.node.hca.regMr(owner.pd, owner.memory, Access.ALL);
    peer.create(memory, DEPTH * SLOT_BYTES, 0);
    ownerQp = owner.queuePair(QpType.RC, 1, 1, null);
    peerQp = peer.queuePair(QpType.RC, DEPTH, 1, null);
    count(owner, ownerQp, EnumSet.of(Operation.REMOTE_RDMA_WRITE, Operation.REMOTE_RDMA_READ, Operation.REMOTE_ATOMIC));
    count(peer, peerQp, EnumSet.of(Operation.RDMA_WRITE, Operation.RDMA_READ, Operation.ATOMIC));
    RcPair.connect(owner.node, ownerQp, peer.node, peerQp, mtu, Access.ALL | Access.FLUSH_GLOBAL, draw);
  }

  private void count(FlowSide side, QueuePair qp, EnumSet<Operation> operations) {
    for (Operation operation : operations) {
      CompletionCounter counter = side.node.hca.createCounter();
      side.node.hca.attachCounter(qp, counter, EnumSet.of(operation));
      counters.put(operation, counter);
    }
  }

  @Override
  void step() {
    checkWords();
    peer.poll(draw, this::onPeer);
    owner.poll(draw, wc -> unexpected("owner", wc));
    if (phase == Phase.POST && batch < batches) {
      postBatch();
    } else if (phase == Phase.POST) {
      postRefused();
    }
  }

  private void postBatch() {
    for (int slot = draw.between(1, BATCH_MAX); slot > 0; slot--) {
      switch (draw.between(0, 3)) {
        case 0 -> write(slot * SLOT_BYTES);
        case 1 -> writeWord(slot * SLOT_BYTES);
        case 2 -> add();
        default -> read();
      }
    }
    boolean region = draw.chance(0.5);
    post(request.flush(owner.region.addr(), owner.region.rkey(), draw.between(0, DATA_BYTES), FlushType.GLOBAL,
        region ? FlushLevel.REGION : FlushLevel.RANGE).signaled(), WrOpcode.FLUSH);
    phase = Phase.POSTED;
  }

  private void post(WorkRequest posted, WrOpcode kind) {
    peerQp.postSend(posted.wrId(batch));
    run.onOperation(kind);
  }

  private void write(int at) {
    int length = draw.between(1, SLOT_BYTES);
    int to = draw.between(0, DATA_BYTES - length);
    long salt = draw.nextLong();
    peer.fill(at, length, salt, batch);
    for (int i = 0; i < length; i++) {
      model[to + i] = FlowSide.pattern(salt, batch, i);
    }
    post(request.write(owner.region.addr() + to, owner.region.rkey()).sge(peer.region, at, length), WrOpcode.RDMA_WRITE);
    counts(Operation.RDMA_WRITE, Operation.REMOTE_RDMA_WRITE);
  }

  private void writeWord(int at) {
    int word = draw.between(0, WORDS - 1);
    List<Long> written = values.get(word);
    // Both halves differ from those of every other value.
    long value = written.size() * 0x0000_0001_0000_0001L;
    written.add(value);
    peer.memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value);
    post(request.atomicWrite(owner.region.addr() + wordAt(word), owner.region.rkey()).sge(peer.region, at, Long.BYTES),
        WrOpcode.ATOMIC_WRITE);
    counts(Operation.RDMA_WRITE, Operation.REMOTE_RDMA_WRITE);
  }

  private void add() {
    int amount = draw.between(1, 1000);
    sum += amount;
    post(request.fetchAndAdd(owner.region.addr() + ADDED_AT, owner.region.rkey(), amount).sge(peer.region, 0, Long.BYTES),
        WrOpcode.ATOMIC_FETCH_AND_ADD);
    counts(Operation.ATOMIC, Operation.REMOTE_ATOMIC);
  }

  private void read() {
    int length = draw.between(1, SLOT_BYTES);
    post(request.read(owner.region.addr() + draw.between(0, DATA_BYTES - length), owner.region.rkey()).sge(peer.region, 0, length),
        WrOpcode.RDMA_READ);
    counts(Operation.RDMA_READ, Operation.REMOTE_RDMA_READ);
  }

  private void counts(Operation own, Operation remote) {
    expected.merge(own, 1L, Long::sum);
    expected.merge(remote, 1L, Long::sum);
  }

  private void postRefused() {
    post(request.flush(withoutFlush.addr(), withoutFlush.rkey(), 8, FlushType.GLOBAL, FlushLevel.RANGE).signaled(), WrOpcode.FLUSH);
    phase = Phase.REFUSED_POSTED;
  }

  private void onPeer(WorkCompletion wc) {
    if (phase == Phase.POSTED && wc.isSuccess() && wc.wrId() == batch && wc.opcode() == WcOpcode.FLUSH) {
      checkPlaced("when the FLUSH of batch " + batch + " had completed");
      checkCounted();
      batch++;
      phase = Phase.POST;
    } else if (phase == Phase.REFUSED_POSTED
        && (wc.status() == WcStatus.REM_ACCESS_ERR || wc.status() == WcStatus.RETRY_EXC_ERR)) {
      phase = Phase.DONE; // The refusal itself may get lost; then the peer's queue pair has failed.
    } else {
      unexpected("peer", wc);
    }
  }

  private static int wordAt(int word) {
    return WORDS_AT + word * Long.BYTES;
  }

  /** Looks at the words as a thread of the target could at any moment. */
  private void checkWords() {
    for (int word = 0; word < WORDS; word++) {
      long found = owner.memory.get(ValueLayout.JAVA_LONG, wordAt(word));
      List<Long> written = values.get(word);
      int now = written.indexOf(found);
      if (now < seen[word]) {
        run.violations().add(this + ": word " + word + " holds " + Long.toHexString(found) + ", "
            + (now < 0 ? "which nobody wrote to it" : "value " + now + ", after value " + seen[word]));
      }
      seen[word] = Math.max(seen[word], now);
    }
  }

  private void checkPlaced(String when) {
    checkWords();
    long wrong = owner.memory.asSlice(0, DATA_BYTES).mismatch(MemorySegment.ofArray(model));
    if (wrong >= 0) {
      run.violations().add(this + ": byte " + wrong + " is not what was written, " + when);
    }
    for (int word = 0; word < WORDS; word++) {
      if (seen[word] != values.get(word).size() - 1) {
        run.violations().add(this + ": word " + word + " holds value " + seen[word] + " of " + (values.get(word).size() - 1) + ", " + when);
      }
    }
    long added = owner.memory.get(ValueLayout.JAVA_LONG, ADDED_AT);
    if (added != sum) {
      run.violations().add(this + ": " + added + " was added, not " + sum + ", " + when);
    }
  }

  private void checkCounted() {
    counters.forEach((operation, counter) -> {
      if (counter.count() != expected.get(operation) || counter.errorCount() != 0) {
        run.violations().add(this + ": its counter for " + operation + " has " + counter.count() + " and " + counter.errorCount()
            + " errors, not " + expected.get(operation) + " and none");
      }
    });
  }

  private void unexpected(String who, WorkCompletion wc) {
    run.violations().add(this + ": its " + who + " got in phase " + phase + " of batch " + batch + " " + wc);
  }

  @Override
  long atomicsPosted() {
    return expected.get(Operation.ATOMIC);
  }

  @Override
  boolean causes(SimNode node, AsyncEvent event) {
    return event.type() == AsyncEvent.Type.QP_ACCESS_ERR && node == owner.node && event.number() == ownerQp.qpNum()
        && (phase == Phase.REFUSED_POSTED || phase == Phase.DONE);
  }

  @Override
  boolean isDone() {
    return phase == Phase.DONE;
  }

  @Override
  public void checkFinished(Violations violations) {
    checkPlaced("at the end");
    checkCounted();
    if (peerQp.state() != QpState.ERR) {
      run.violations().add(this + ": a FLUSH was done that the region does not grant");
    }
    owner.check(run.violations());
    peer.check(run.violations());
  }

  @Override
  public String toString() {
    return "placement of node " + peer.node.index + " on node " + owner.node.index;
  }
}
