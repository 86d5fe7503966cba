package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.Rereg;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.hca.verbs.WrOpcode;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.Violations;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * One node grants another access to parts of its memory for a while, again and again, in three ways: by a window of type 2 that is bound, used, and
 * invalidated by LOCAL_INV or the peer's SEND_WITH_INV; by a window of type 1, whose key ends at the next binding, or at a binding of no bytes; or by
 * a region that is re-registered at another address. Writes with the present key arrive. At the end an invalid key is used once more, which must fail
 * and change nothing.
 */
final class WindowFlow extends SideFlow {
  private enum Phase { BIND, BINDING, USE, USING, INVALIDATE, INVALIDATING, STALE, STALE_POSTED, DONE }

  private static final int REGION_BYTES = 4096;
  private static final int ROUNDS_MAX = 5;
  private static final int WRITES_MAX = 4;
  private static final int DEPTH = 8;
  private static final long READ_ID = 99;

  private final FlowSide owner;
  private final FlowSide peer;
  private final int rounds;
  private final int mtu;
  private final MemoryWindow.Type type;
  private final byte[] model = new byte[REGION_BYTES];
  private final WorkRequest request = new WorkRequest();
  private MemoryWindow window;
  private QueuePair ownerQp;
  private QueuePair peerQp;
  private Phase phase = Phase.BIND;
  private int round;
  /** The present grant: it starts at {@code offset} of the region, which is {@code address} for the peer. */
  private int key;
  private long address;
  private int offset;
  private int length;
  private boolean throughRegion;
  private boolean byPeer;
  private int staleKey;
  private long staleAddress;
  private boolean sendCompleted;
  private boolean receiveCompleted;
  /** Whether another binding ended the last key of a window of type 1. */
  private boolean rebound;

  WindowFlow(RunJournal run, Draw draw, List<SimNode> nodes) {
    super(run, draw);
    int home = draw.between(0, nodes.size() - 1);
    owner = new FlowSide(nodes.get(home), 2 * DEPTH);
    peer = new FlowSide(nodes.get((home + 1) % nodes.size()), 2 * DEPTH);
    rounds = draw.between(1, ROUNDS_MAX);
    mtu = draw.pick(256, 1024);
    type = draw.chance(0.5) ? MemoryWindow.Type.TYPE_1 : MemoryWindow.Type.TYPE_2;
    Arrays.fill(model, SimNode.GUARD);
  }

  @Override
  SimNode home() {
    return owner.node;
  }

  @Override
  void create(SimulationMemory memory) {
    owner.create(memory, REGION_BYTES);
    peer.create(memory, (1 + WRITES_MAX) * REGION_BYTES);
    window = owner.node.hca.allocMw(owner.pd, type);
    ownerQp = owner.queuePair(QpType.RC, DEPTH, DEPTH, null);
    peerQp = peer.queuePair(QpType.RC, DEPTH, 1, null);
    RcPair.connect(owner.node, ownerQp, peer.node, peerQp, mtu, Access.ALL, draw);
  }

  @Override
  void step() {
    owner.poll(draw, this::onOwner);
    peer.poll(draw, this::onPeer);
    switch (phase) {
      case BIND -> bind();
      case USE -> use();
      case INVALIDATE -> invalidate();
      case STALE -> useStale();
      case BINDING, USING, INVALIDATING, STALE_POSTED, DONE -> { }
    }
  }

  /** Grants access to a part; a re-registered region grants all of itself. */
  private void bind() {
    // A region with bound windows cannot be re-registered.
    throughRegion = draw.chance(0.3) && !window.isBound();
    if (throughRegion) {
      MemoryRegion before = owner.region;
      long iova = draw.nextLong() >>> 8 & -64L;
      owner.region = owner.node.hca.reregMr(before, Rereg.TRANSLATION, null, owner.memory, iova, 0);
      noteStale(before.rkey(), before.addr());
      open(owner.region.rkey(), owner.region.addr(), 0, REGION_BYTES);
      phase = Phase.USE;
      return;
    }
    bindPart();
    phase = Phase.BINDING;
  }

  private void bindPart() {
    int from = draw.between(0, REGION_BYTES - 1);
    run.onOperation(WrOpcode.BIND_MW);
    if (type == MemoryWindow.Type.TYPE_1) {
      int bytes = draw.between(1, REGION_BYTES - from);
      open(bindOne(from, bytes), owner.region.addr() + from, from, bytes);
      return;
    }
    boolean zeroBased = draw.chance(0.3);
    int access = Access.REMOTE_READ | Access.REMOTE_WRITE | (zeroBased ? Access.ZERO_BASED : 0);
    open(window.nextRkey(), zeroBased ? 0 : owner.region.addr() + from, from, draw.between(1, REGION_BYTES - from));
    ownerQp.postSend(request.bindMw(new MwBind(window, key, owner.region, owner.region.addr() + from, length, access)).wrId(round)
        .signaled());
  }

  /** Binds a window of type 1, or unbinds it with 0 bytes; returns its new key. */
  private int bindOne(int from, int bytes) {
    return owner.node.hca.bindMw(ownerQp, new MwBind(window, 0, owner.region, owner.region.addr() + from, bytes,
        Access.REMOTE_READ | Access.REMOTE_WRITE), round, SendFlags.SIGNALED);
  }

  private void open(int newKey, long newAddress, int newOffset, int newLength) {
    key = newKey;
    address = newAddress;
    offset = newOffset;
    length = newLength;
  }

  private void noteStale(int staleRkey, long addr) {
    staleKey = staleRkey;
    staleAddress = addr;
  }

  /** A few overlapping writes, and a read of everything that is granted. */
  private void use() {
    for (int i = draw.between(1, WRITES_MAX); i > 0; i--) {
      int from = draw.between(0, length - 1);
      int count = draw.between(1, length - from);
      int salt = draw.between(0, 1 << 20);
      peer.fill(i * REGION_BYTES, count, salt, round);
      for (int b = 0; b < count; b++) {
        model[offset + from + b] = FlowSide.pattern(salt, round, b);
      }
      peerQp.postSend(request.write(address + from, key).sge(peer.region, (long) i * REGION_BYTES, count).wrId(round));
      run.onOperation(WrOpcode.RDMA_WRITE);
    }
    peerQp.postSend(request.read(address, key).sge(peer.region, 0, length).wrId(READ_ID).signaled());
    run.onOperation(WrOpcode.RDMA_READ);
    phase = Phase.USING;
  }

  private void invalidate() {
    round++;
    phase = round == rounds ? Phase.STALE : Phase.BIND;
    if (throughRegion) {
      return; // The next registration ends the key, and the last one stays valid.
    }
    noteStale(key, address);
    sendCompleted = false;
    if (type == MemoryWindow.Type.TYPE_1) {
      invalidateOne();
      return;
    }
    byPeer = draw.chance(0.5);
    receiveCompleted = !byPeer;
    if (byPeer) {
      ownerQp.postReceive(new ReceiveRequest().receive(round));
      peerQp.postSend(request.sendWithInvalidate(key).wrId(round).signaled());
      run.onOperation(WrOpcode.SEND_WITH_INV);
    } else {
      ownerQp.postSend(request.localInvalidate(key).wrId(round).signaled());
      run.onOperation(WrOpcode.LOCAL_INV);
    }
    phase = Phase.INVALIDATING;
  }

  /** The next binding ends the key. After the last round it is an unused binding, or one of no bytes. */
  private void invalidateOne() {
    byPeer = false;
    receiveCompleted = false;
    rebound = draw.chance(0.5);
    if (rebound && round < rounds) {
      return;
    }
    if (rebound) {
      bindPart();
    } else {
      bindOne(0, 0);
    }
    phase = Phase.INVALIDATING;
  }

  private void useStale() {
    peer.fill(0, 8, 1, 1);
    peerQp.postSend(request.write(staleAddress, staleKey).sge(peer.region, 0, 8).wrId(round).signaled());
    phase = Phase.STALE_POSTED;
  }

  private void onOwner(WorkCompletion wc) {
    boolean good = wc.isSuccess();
    if (phase == Phase.BINDING && good && wc.wrId() == round) {
      phase = Phase.USE;
    } else if (phase == Phase.INVALIDATING && good && wc.wrId() == round) {
      if (byPeer && (!wc.hasInvalidatedRkey() || wc.invalidatedRkey() != key)) {
        unexpected("owner", wc);
      }
      receiveCompleted = true;
      sendCompleted |= !byPeer;
      invalidated();
    } else {
      unexpected("owner", wc);
    }
  }

  private void invalidated() {
    if (sendCompleted && receiveCompleted) {
      if (window.isBound() && !rebound) {
        run.violations().add(this + ": the window is bound although its key was taken back");
      }
      phase = round == rounds ? Phase.STALE : Phase.BIND;
    }
  }

  private void onPeer(WorkCompletion wc) {
    if (phase == Phase.USING && wc.isSuccess() && wc.wrId() == READ_ID) {
      long wrong = peer.memory.asSlice(0, length).mismatch(MemorySegment.ofArray(model).asSlice(offset, length));
      if (wrong >= 0) {
        run.violations().add(this + ": what was written through the key of round " + round + " is not there at byte " + wrong);
      }
      phase = Phase.INVALIDATE;
    } else if (phase == Phase.INVALIDATING && wc.isSuccess() && byPeer) {
      sendCompleted = true;
      invalidated();
    } else if (phase == Phase.STALE_POSTED && (wc.status() == WcStatus.REM_ACCESS_ERR || wc.status() == WcStatus.RETRY_EXC_ERR)) {
      phase = Phase.DONE; // The refusal itself may get lost; then the peer's queue pair has failed.
    } else {
      unexpected("peer", wc);
    }
  }

  private void unexpected(String who, WorkCompletion wc) {
    run.violations().add(this + ": its " + who + " got in phase " + phase + " of round " + round + " " + wc);
  }

  @Override
  boolean causes(SimNode node, AsyncEvent event) {
    return event.type() == AsyncEvent.Type.QP_ACCESS_ERR && node == owner.node && event.number() == ownerQp.qpNum()
        && (phase == Phase.STALE_POSTED || phase == Phase.DONE);
  }

  @Override
  boolean isDone() {
    return phase == Phase.DONE;
  }

  @Override
  public void checkFinished(Violations violations) {
    long wrong = owner.memory.asSlice(0, REGION_BYTES).mismatch(MemorySegment.ofArray(model));
    if (wrong >= 0) {
      run.violations().add(this + ": byte " + wrong + " of its region was written by nobody who had a key for it");
    }
    if (peerQp.state() != QpState.ERR) {
      run.violations().add(this + ": the key of a window that was taken back still works");
    }
    owner.check(run.violations());
    peer.check(run.violations());
  }

  @Override
  public String toString() {
    return "windows of node " + owner.node.index + " for node " + peer.node.index;
  }
}
