package dev.weft.dsm.member;

import dev.weft.dsm.access.Announcements;
import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.direct.DirectTables;
import dev.weft.dsm.direct.DirectoryEntry;
import dev.weft.dsm.direct.LocalNode;
import dev.weft.dsm.direct.RemoteVerbs;
import dev.weft.dsm.direct.SynchronousCore;
import dev.weft.dsm.net.DirectOp;
import dev.weft.dsm.net.DirectOp.Kind;
import dev.weft.dsm.net.Peer;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.hca.verbs.FlushLevel;
import dev.weft.hca.verbs.FlushType;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.WorkRequest;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The synchronous engine of a node: posts the verbs of its faults on the connections to other nodes, and accesses this node's own memory directly.
 * Used in the receive context of this node, whose messages are faults of its own threads, completions of its own verbs, and alarms.
 *
 * <p>Bound: {@value DirectTables#OPS} running steps, of which {@value DirectTables#LOOKS} read announcements. Further steps queue up, at most one for
 * each node and minipage that has a running fault.
 */
public final class DirectEngine implements RemoteVerbs, LocalNode, DirectOp.Filler {
  private static final int FIRST_SLOTS = 4;
  private static final long PART_BYTES = 1 << 20;

  private final int self;
  private final DirectTables tables;
  private final CheckedAccess access;
  private final MemoryRegion frames;
  private final MinipageMap minipages;
  private final Peers peers;
  private final LongSupplier nowNs;
  private final SynchronousCore core;
  private final DirectHomes homes;
  private final DirectOp[] ops = new DirectOp[DirectTables.OPS];
  private final int[] freeOps = new int[DirectTables.OPS];
  private int freeOpCount;
  private final int[] freeLooks = new int[DirectTables.LOOKS];
  private int freeLookCount;
  /** Steps that wait for a free place, in order. */
  private final ArrayDeque<DirectOp> waiting = new ArrayDeque<>();
  /** Waiting steps that read announcements. Few may run at once: if a stopped node holds up all of them, others still give entries back elsewhere. */
  private final ArrayDeque<DirectOp> waitingLooks = new ArrayDeque<>();

  private final ArrayDeque<DirectOp> done = new ArrayDeque<>();
  /** Known number of announcing threads of each node. */
  private final int[] slotsOf = new int[Peers.NODES_MAX];
  /** Results of atomics on this node's own memory. */
  private final ArrayDeque<long[]> foundHere = new ArrayDeque<>();

  private long verbs;
  private boolean wasHomeless;

  /**
   * @param lost bits of the nodes that are lost or have left
   * @param absent bits of these, and of the nodes that are about to leave
   */
  DirectEngine(int self, DsmParts parts, MinipageMap minipages, Peers peers, LongSupplier nowNs, LongSupplier lost, LongSupplier absent) {
    this.self = self;
    this.tables = parts.tables();
    this.access = parts.access();
    this.frames = parts.region();
    this.minipages = minipages;
    this.peers = peers;
    this.nowNs = nowNs;
    this.core = new SynchronousCore(self, this, this, parts.settings().graceNs());
    this.homes = new DirectHomes(self, tables, minipages, peers, core, lost, absent);
    for (int i = 0; i < freeOps.length; i++) {
      freeOps[freeOpCount++] = i;
    }
    for (int i = 0; i < freeLooks.length; i++) {
      freeLooks[freeLookCount++] = i;
    }
    Arrays.fill(slotsOf, Math.min(FIRST_SLOTS, tables.threadsMax()));
  }

  public SynchronousCore core() {
    return core;
  }

  /** Number of posted work requests. */
  public long verbs() {
    return verbs;
  }

  // Arrays.

  public DirectHomes homes() {
    return homes;
  }

  /** Adds an array. */
  void add(ObjectSpec spec) {
    homes.add(spec);
  }

  void remove(ObjectSpec spec) {
    homes.remove(spec);
    core.forget(spec.firstMinipage(), spec.minipages());
  }

  /** Whether steps or faults for one of these minipages are running or waiting. */
  boolean isBusy(ObjectSpec spec) {
    return core.isBusy(spec.firstMinipage(), spec.minipages()) || Arrays.stream(ops).anyMatch(op -> op != null && spec.hasMinipage(op.minipage))
        || Stream.of(waiting, waitingLooks, done).anyMatch(ops -> ops.stream().anyMatch(op -> spec.hasMinipage(op.minipage)));
  }

  /** Requests a readable copy that no thread waits for yet. */
  void prefetch(int minipage) {
    if (!homes.isClosing()) {
      core.prefetch(minipage);
    }
  }

  /** When the engine must look again; {@link SynchronousCore#NEVER} if there is no need. */
  long retryAtNs() {
    return Math.min(core.retryAtNs(), homes.dueNs(nowNs.getAsLong()));
  }

  // The requests of a fault.

  @Override
  public byte rights(int minipage) {
    return access.rights(minipage);
  }

  @Override
  public void grant(int minipage, byte rights, boolean isServed) {
    tables.grant(minipage, rights, isServed);
  }

  @Override
  public int homeOf(int minipage) {
    return minipages.homeOf(minipage);
  }

  @Override
  public String nameOf(int minipage) {
    return minipages.nameOf(minipage);
  }

  @Override
  public void lock(int home, int minipage, long lock) {
    begin(new DirectOp(Kind.LOCK, home, minipage, lock, DirectoryEntry.FREE, 0, this));
  }

  @Override
  public void unlock(int home, int minipage, long owner, long copies) {
    begin(new DirectOp(Kind.UNLOCK, home, minipage, owner, 0, copies, this));
  }

  @Override
  public void revoke(int node, int minipage, long expected, byte rights) {
    begin(new DirectOp(Kind.REVOKE, node, minipage, rights, expected, 0, this));
  }

  @Override
  public void look(int node, int minipage, byte rights) {
    begin(new DirectOp(Kind.LOOK, node, minipage, rights, rights, 0, this));
  }

  @Override
  public void fetch(int node, int minipage) {
    DirectOp op = new DirectOp(Kind.FETCH, node, minipage, 0, 0, 0, this);
    op.offset = minipages.offsetOf(minipage);
    op.bytes = minipages.bytesOf(minipage);
    begin(op);
  }

  // Steps.

  private void begin(DirectOp op) {
    if (op.node == self) {
      doHere(op);
      return;
    }
    ArrayDeque<DirectOp> before = op.looks() ? waitingLooks : waiting;
    if (!before.isEmpty() || !post(op)) {
      before.add(op);
    }
  }

  /** In this node's own memory a fault accesses only entries: a node does not take rights from itself. */
  private void doHere(DirectOp op) {
    long[] found = new long[3];
    if (op.kind == Kind.LOCK) {
      long at = tables.entryAt(op.minipage);
      found[0] = tables.lock(op.minipage, op.value);
      found[1] = tables.word(at + DirectoryEntry.OWNER);
      found[2] = tables.word(at + DirectoryEntry.COPIES);
    } else {
      tables.unlock(op.minipage, op.value, op.copies);
    }
    done.add(op);
    foundHere.add(found);
  }

  private boolean post(DirectOp op) {
    if (freeOpCount == 0 || op.looks() && freeLookCount == 0) {
      return false;
    }
    op.index = freeOps[--freeOpCount];
    ops[op.index] = op;
    if (op.looks()) {
      op.look = freeLooks[--freeLookCount];
      op.slots = slotsOf[op.node];
    }
    op.parts = switch (op.kind) {
      case LOCK, UNLOCK -> 2;
      case REVOKE -> 3;
      case LOOK -> 1;
      case FETCH -> (int) ((op.bytes + PART_BYTES - 1) / PART_BYTES);
    };
    if (op.kind == Kind.UNLOCK) {
      long at = tables.opAt(op.index) + DirectTables.OP_OWNER;
      tables.put(at, op.value);
      tables.put(at + Long.BYTES, op.copies);
    }
    verbs += op.parts;
    peers.post(op.node, op);
    return true;
  }

  @Override
  public WorkRequest fill(DirectOp op, int part, Peer peer, WorkRequest request) {
    long there = peer.tables;
    int rkey = peer.tablesRkey;
    MemoryRegion region = tables.region();
    long own = tables.opAt(op.index);
    long entry = there + tables.entryAt(op.minipage);
    return switch (op.kind) {
      case LOCK -> part == 0 ? request.compareAndSwap(entry + DirectoryEntry.LOCK, rkey, op.expected, op.value).sge(region, own, Long.BYTES)
          : request.read(entry + DirectoryEntry.OWNER, rkey).sge(region, own + DirectTables.OP_OWNER, 2 * Long.BYTES);
      case UNLOCK -> part == 0 ? request.write(entry + DirectoryEntry.OWNER, rkey).sge(region, own + DirectTables.OP_OWNER, 2 * Long.BYTES)
          : request.atomicWrite(entry + DirectoryEntry.LOCK, rkey).sge(region, tables.zeroAt(), Long.BYTES);
      case REVOKE -> switch (op.isAgain ? 2 : part) {
        case 0 -> request.compareAndSwap(there + tables.rightAt(op.minipage), rkey, op.expected, op.value).sge(region, own, Long.BYTES);
        case 1 -> request.flush(there + tables.rightAt(op.minipage), rkey, Long.BYTES, FlushType.GLOBAL, FlushLevel.RANGE);
        default -> readAnnouncements(op, there, rkey, request);
      };
      case LOOK -> readAnnouncements(op, there, rkey, request);
      case FETCH -> {
        long at = op.offset + part * PART_BYTES;
        int bytes = (int) Math.min(PART_BYTES, op.bytes - part * PART_BYTES);
        yield request.read(peer.frames + at, peer.rkey).sge(frames, at, bytes);
      }
    };
  }

  private WorkRequest readAnnouncements(DirectOp op, long there, int rkey, WorkRequest request) {
    return request.read(there, rkey).sge(tables.region(), tables.lookAt(op.look), (int) DirectTables.lookBytes(op.slots));
  }

  /** All work requests of a step are done. */
  void onCompleted(int index) {
    DirectOp op = ops[index];
    if (op == null) {
      return;
    }
    if (op.looks() && hasMoreSlots(op)) {
      op.isAgain = true;
      op.parts = 1;
      verbs++;
      peers.post(op.node, op);
      return;
    }
    tell(op);
    free(op);
    postWaiting();
  }

  private boolean hasMoreSlots(DirectOp op) {
    int used = Math.min(Announcements.used(tables.memory(), tables.lookAt(op.look)), tables.threadsMax());
    boolean hasMore = used > op.slots;
    if (hasMore) {
      op.slots = used;
      slotsOf[op.node] = Math.max(slotsOf[op.node], used);
    }
    return hasMore;
  }

  private void free(DirectOp op) {
    ops[op.index] = null;
    freeOps[freeOpCount++] = op.index;
    if (op.look != DirectOp.NONE) {
      freeLooks[freeLookCount++] = op.look;
    }
  }

  private void postWaiting() {
    postAll(waiting);
    postAll(waitingLooks);
  }

  private void postAll(ArrayDeque<DirectOp> from) {
    while (!from.isEmpty() && post(from.peek())) {
      from.poll();
    }
  }

  private void tell(DirectOp op) {
    switch (op.kind) {
      case LOCK -> core.onLocked(op.minipage, tables.found(op.index), tables.owner(op.index), tables.copies(op.index), nowNs.getAsLong());
      case UNLOCK -> core.onUnlocked(op.minipage);
      case REVOKE, LOOK -> {
        int count = Math.min(op.slots, Announcements.used(tables.memory(), tables.lookAt(op.look)));
        boolean isInside = Announcements.hasInside(tables.memory(), tables.lookAt(op.look), count, op.minipage, (byte) op.value);
        long found = op.kind == Kind.LOOK ? op.expected : tables.found(op.index);
        core.onRevoked(op.minipage, op.node, op.expected, found, isInside, nowNs.getAsLong());
      }
      case FETCH -> core.onFetched(op.minipage);
    }
  }

  /** Reports completed steps on this node's own memory; returns whether there were any. */
  boolean doLocal() {
    homes.look();
    boolean any = !done.isEmpty();
    for (DirectOp op = done.poll(); op != null; op = done.poll()) {
      long[] found = foundHere.poll();
      if (op.kind == Kind.LOCK) {
        core.onLocked(op.minipage, found[0], found[1], found[2], nowNs.getAsLong());
      } else {
        core.onUnlocked(op.minipage);
      }
    }
    return any;
  }

  /** A node is lost or has left; no message of it arrives any more. {@code isKnown}: all others know it. */
  void onNodeLost(int node, boolean isKnown) {
    waiting.removeIf(op -> op.node == node);
    waitingLooks.removeIf(op -> op.node == node);
    for (DirectOp op : ops.clone()) {
      if (op != null && op.node == node) {
        free(op);
      }
    }
    homes.onNodeLost(node, isKnown);
    core.onNodeLost(node);
    dropHomeless();
    wasHomeless |= core.hasHomeless();
    postWaiting();
  }

  /** Whether the last fault with a lost home has ended since the last call. */
  boolean hasSettled() {
    boolean has = wasHomeless && !core.hasHomeless();
    wasHomeless = core.hasHomeless();
    return has;
  }

  /** Other nodes were told that the home is lost, so no verb may take rights after that. */
  private void dropHomeless() {
    List<DirectOp> dropped = Stream.concat(waiting.stream(), waitingLooks.stream()).filter(op -> core.isHomeless(op.minipage)).toList();
    waiting.removeAll(dropped);
    waitingLooks.removeAll(dropped);
    dropped.forEach(op -> {
      if (op.kind == Kind.FETCH) {
        core.onFetched(op.minipage);
      } else {
        core.onDropped(op.minipage, op.node);
      }
    });
  }
}
