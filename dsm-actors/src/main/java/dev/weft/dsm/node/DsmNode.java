package dev.weft.dsm.node;

import akka.actor.typed.ActorRef;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedMemoryException;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.access.AccessCosts;
import dev.weft.dsm.access.Announcements;
import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.access.CheckedBytes;
import dev.weft.dsm.access.CheckedDoubles;
import dev.weft.dsm.access.CheckedInts;
import dev.weft.dsm.access.CheckedLongs;
import dev.weft.dsm.access.Faulting;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.access.StackRoom;
import dev.weft.dsm.events.BarrierWaitEvent;
import dev.weft.dsm.events.FaultEvent;
import dev.weft.dsm.sharing.AllocationSite;
import dev.weft.dsm.wire.DsmMessage.Refusal;
import dev.weft.dsm.wire.MessageCodec;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.dsm.wire.ObjectSpec.Kind;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One node of a shared memory, and the synchronous entry points of its protocol: they ask, wait and look, and change no rights. Threads of several
 * nodes that one JVM carries must each use the {@code DsmNode} of theirs.
 */
public final class DsmNode implements SharedSpace {
  static final long FOREVER_NS = Long.MAX_VALUE / 4;
  private static final int CACHE_LINE = 64;

  private final DsmParts parts;
  private final ActorRef<DsmNodeActor.Command> actor;
  private final ConcurrentHashMap<Integer, NodeLock> locks = new ConcurrentHashMap<>();
  private final Faulting faulting = new Asking();
  private final AtomicBoolean closed = new AtomicBoolean();
  private int number;

  private DsmNode(DsmParts parts) {
    this.parts = parts;
    this.actor = parts.node().spawnRole(DsmNodeActor.create(parts), "dsm-" + parts.space(), parts.settings().context());
  }

  /**
   * Makes a node a member of a shared memory, and waits until it is.
   *
   * @param space its name: 1 to 32 letters, digits and dashes
   * @param founder name of the first node, which starts it; a node with its own name there is that one
   * @throws IllegalStateException if it is not let in, or there was no answer in {@code weft.dsm.join-timeout}; the message says why
   * @throws OutOfMemoryError if this JVM has not the memory for the frames
   */
  public static DsmNode join(Fabric fabric, Node node, String space, String founder) {
    return join(node, space, founder, DsmSettings.from(fabric.config()), new RealWaits(fabric, node), false);
  }

  /** The same with settings. */
  public static DsmNode join(Fabric fabric, Node node, String space, String founder, DsmSettings settings) {
    return join(node, space, founder, settings, new RealWaits(fabric, node), false);
  }

  /**
   * The same with settings, and where threads wait in another way.
   *
   * @param takeTurns whether threads and the protocol never run at the same time, as in virtual time
   */
  public static DsmNode join(Node node, String space, String founder, DsmSettings settings, ThreadWaits waits, boolean takeTurns) {
    return join(node, space, founder, settings, waits, takeTurns, AccessCosts.NONE);
  }

  /** The same, where {@code costs} charges for what access and waiting cost on the machine that is simulated: access mode virtual. */
  public static DsmNode join(Node node, String space, String founder, DsmSettings settings, ThreadWaits waits, boolean takeTurns,
      AccessCosts costs) {
    Objects.requireNonNull(founder, "founder");
    if (!space.matches("[A-Za-z0-9-]{1,32}")) {
      throw new IllegalArgumentException("\"" + space + "\" is no name of a shared memory; must be 1 to 32 letters, digits and dashes");
    }
    ProtectionDomain pd = node.hca().allocPd();
    MemoryRegion region = null;
    DirectTables tables = null;
    DsmNode member;
    try {
      MemorySegment frames = node.hca().allocMemory(Arena.ofAuto(), settings.memoryBytes());
      region = node.hca().regMr(pd, frames, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ);
      tables = settings.engine() == Engine.SYNCHRONOUS ? new DirectTables(node, pd, settings) : null;
      Announcements announcements = tables == null ? new Announcements(settings.threadsMax())
          : new Announcements(tables.memory(), settings.threadsMax(), true);
      CheckedAccess access = tables == null ? new CheckedAccess(announcements, takeTurns, costs, PageTable::new)
          : new CheckedAccess(announcements, true, costs, tables::tableOf);
      member = new DsmNode(new DsmParts(node, space, founder, settings, pd, frames, region, tables, announcements, access,
          new ConcurrentHashMap<>(), new AtomicBoolean(), new AtomicBoolean(), waits));
    } catch (RuntimeException | OutOfMemoryError refused) {
      if (tables != null) {
        node.hca().deregMr(tables.region());
      }
      if (region != null) {
        node.hca().deregMr(region);
      }
      node.hca().deallocPd(pd);
      throw refused;
    }
    member.awaitJoin();
    return member;
  }

  private void awaitJoin() {
    Waits.OfJoin wait = new Waits.OfJoin();
    actor.tell(wait);
    boolean isMember = false;
    try {
      if (!awaitTold(wait, parts.settings().joinTimeoutNs())) {
        throw new IllegalStateException("node " + parts.node().name() + " is not a member of shared memory " + parts.space()
            + " after weft.dsm.join-timeout; is its first node " + parts.founder() + " there?");
      }
      wait.check();
      number = wait.number;
      isMember = true;
    } finally {
      if (!isMember) {
        actor.tell(DsmNodeActor.Stop.INSTANCE);
      }
    }
  }

  /** Its actor, for inspection. */
  public ActorRef<DsmNodeActor.Command> actor() {
    return actor;
  }

  /**
   * Rights of this node in a minipage of an array, one of {@link Rights}, for those who check the protocol; none of an array that it does not know.
   *
   * @param minipage index among the array's
   */
  public byte rights(String array, int minipage) {
    PageTable table = tableOf(array);
    return table == null ? Rights.NONE : parts.access().rights(table.spec().firstMinipage() + minipage);
  }

  /** The node that looks after a minipage, as {@link #rights}; -1 of an array that it does not know. */
  public int homeOf(String array, int minipage) {
    PageTable table = tableOf(array);
    return table == null ? -1 : table.spec().homeOf(minipage);
  }

  /** Null if there is none. */
  private PageTable tableOf(String array) {
    for (PageTable table : parts.access().tables()) {
      if (table.spec().name().equals(array)) {
        return table;
      }
    }
    return null;
  }

  @Override
  public int node() {
    return number;
  }

  /** The state of this node, now. Waits for its actor. */
  public DsmSnapshot inspect() {
    return await(new Waits.OfSnapshot()).snapshot;
  }

  /** All that there is to see of this node, now, with at most {@code max} entries of each kind. Waits for its actor. */
  public DsmReport report(int max) {
    return await(new Waits.OfReport(max)).report;
  }

  // Waiting.

  /** As long as a wait may be at most, however long it may be. */
  static long nanos(Duration max) {
    return max.isNegative() ? 0 : max.compareTo(Duration.ofNanos(FOREVER_NS)) > 0 ? FOREVER_NS : max.toNanos();
  }

  private <W extends Wait> W await(W wait) {
    StackRoom.require();
    tell(wait);
    awaitTold(wait, FOREVER_NS);
    wait.check();
    return wait;
  }

  void checkOpen() {
    if (closed.get() || parts.ended().get()) {
      throw new IllegalStateException("node " + parts.node().name() + " has left shared memory " + parts.space());
    }
  }

  private final class Asking implements Faulting {
    @Override
    public void await(PageTable table, int index, byte rights, int firstWord, int lastWord) {
      parts.access().costs().fault(rights);
      FaultEvent event = new FaultEvent();
      event.begin();
      Fault fault = new Fault(table.spec().firstMinipage() + index, rights, firstWord, lastWord);
      try {
        DsmNode.this.await(fault);
      } finally {
        event.end();
        if (event.shouldCommit()) {
          event.array = table.spec().name();
          event.minipage = index;
          event.kind = rights == Rights.WRITE ? "write" : "read";
          event.node = number;
          event.from = fault.isOver() ? fault.source : -1;
          event.bytes = event.from < 0 ? 0 : table.spec().minipageBytes(index);
          event.commit();
        }
      }
    }

    @Override
    public void prefetch(PageTable table, int index, int count) {
      checkOpen();
      parts.access().costs().enter();
      actor.tell(new DsmNodeActor.Prefetch(table, index, count, false));
    }

    @Override
    public void push(PageTable table, int index, int count) {
      checkOpen();
      parts.access().costs().enter();
      actor.tell(new DsmNodeActor.Prefetch(table, index, count, true));
    }

    @Override
    public void left() {
      actor.tell(DsmNodeActor.Notice.LEFT);
    }

    @Override
    public boolean isWaitedFor() {
      return parts.waitedFor().get();
    }
  }

  // Objects.

  private ObjectSpec find(ObjectSpec wanted) {
    Objects.requireNonNull(wanted.name(), "name");
    int nameBytes = wanted.name().getBytes(StandardCharsets.UTF_8).length;
    if (nameBytes > MessageCodec.NAME_BYTES_MAX) {
      throw new IllegalArgumentException("a name of " + nameBytes + " bytes, must be from 1 to " + MessageCodec.NAME_BYTES_MAX);
    }
    Waits.OfObject answer = await(new Waits.OfObject(wanted, 0, AllocationSite.ofCaller()));
    if (answer.refusal == Refusal.NO_ROOM) {
      throw new SharedMemoryException(answer.text);
    }
    if (answer.refusal != Refusal.NONE) {
      throw new IllegalArgumentException(answer.text);
    }
    if (answer.found == null) {
      throw new IllegalStateException("\"" + wanted.name() + "\" was freed while this node asked for it");
    }
    return answer.found;
  }

  private PageTable array(Kind kind, String name, long length, SharingUnit unit) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(unit, "unit");
    if (length < 1 || length > Long.MAX_VALUE / CACHE_LINE) {
      throw new IllegalArgumentException("an array of " + length + " elements, must have from 1 to " + Long.MAX_VALUE / CACHE_LINE);
    }
    PageTable table = parts.access().tableOf(find(ObjectSpec.wanted(kind, name, length, unit)).firstMinipage());
    if (table == null || !table.spec().name().equals(name)) {
      throw new IllegalStateException("the array \"" + name + "\" was freed");
    }
    return table;
  }

  @Override
  public SharedLongs longs(String name, long length, SharingUnit unit) {
    return new CheckedLongs(array(Kind.LONGS, name, length, unit), parts.frames(), parts.announcements(), faulting);
  }

  @Override
  public SharedDoubles doubles(String name, long length, SharingUnit unit) {
    return new CheckedDoubles(array(Kind.DOUBLES, name, length, unit), parts.frames(), parts.announcements(), faulting);
  }

  @Override
  public SharedInts ints(String name, long length, SharingUnit unit) {
    return new CheckedInts(array(Kind.INTS, name, length, unit), parts.frames(), parts.announcements(), faulting);
  }

  @Override
  public SharedBytes bytes(String name, long length, SharingUnit unit) {
    return new CheckedBytes(array(Kind.BYTES, name, length, unit), parts.frames(), parts.announcements(), faulting);
  }

  /**
   * An array for views of other processes, instead of threads of this one: {@link PageTable#use} is to be called before anything else.
   *
   * @throws RuntimeException as {@link SharedSpace#longs}
   */
  public PageTable map(Kind kind, String name, long length, SharingUnit unit) {
    return array(kind, name, length, unit);
  }

  /** This node's frames: an array begins at its offset. Only for views, where {@link PageTable#rights} allow it. */
  public MemorySegment frames() {
    return parts.frames();
  }

  /**
   * Asks for rights in a minipage without waiting for them.
   *
   * @param whenOver told null when this node has had them, or the problem; in the receive context, soon
   * @throws IllegalStateException if this node has left
   */
  public void fault(PageTable table, int index, byte rights, Consumer<String> whenOver) {
    tell(new Fault(table.spec().firstMinipage() + index, rights, whenOver));
  }

  @Override
  public void free(String name) {
    checkOpen();
    PageTable table = tableOf(name);
    if (table == null) {
      throw new IllegalArgumentException("there is no array \"" + name + "\"");
    }
    Waits.OfObject answer = await(new Waits.OfObject(null, table.spec().id()));
    if (answer.refusal != Refusal.NONE) {
      throw new IllegalStateException("\"" + name + "\": " + answer.text);
    }
  }

  @Override
  public DsmLock lock(String name) {
    int id = find(ObjectSpec.wanted(Kind.LOCK, name, 0, null)).id();
    return locks.computeIfAbsent(id, unknown -> new NodeLock(id, name, parts.words().get(id), this));
  }

  @Override
  public DsmBarrier barrier(String name, int parties) {
    int id = find(ObjectSpec.wanted(Kind.BARRIER, name, parties, null)).id();
    return new DsmBarrier() {
      @Override
      public int parties() {
        return parties;
      }

      @Override
      public void await() {
        BarrierWaitEvent event = new BarrierWaitEvent();
        event.begin();
        try {
          DsmNode.this.await(new Waits.OfBarrier(id));
        } finally {
          event.end();
          if (event.shouldCommit()) {
            event.barrier = name;
            event.node = number;
            event.parties = parties;
            event.commit();
          }
        }
      }
    };
  }

  @Override
  public DsmCondition condition(String name, DsmLock lock) {
    if (!(lock instanceof NodeLock ours) || ours.space() != this) {
      throw new IllegalArgumentException("the lock of condition \"" + name + "\" must be one of this node");
    }
    int id = find(new ObjectSpec(0, Kind.CONDITION, name, 0, ours.id(), 0, 0, 0)).id();
    return new NodeCondition(id, name, ours, this);
  }

  /** Tells the actor something that nobody waits for. */
  void tell(DsmNodeActor.Command command) {
    checkOpen();
    parts.access().costs().enter();
    actor.tell(command);
  }


  /**
   * Waits for something that the actor was told of; false if it took longer.
   *
   * @throws IllegalStateException if this node has left meanwhile, or the thread was interrupted
   */
  boolean awaitTold(Wait wait, long maxNs) {
    boolean inTime = parts.waits().await(() -> wait.isOver() || parts.ended().get(), maxNs);
    if (inTime && !wait.isOver()) {
      throw new IllegalStateException("node " + parts.node().name() + " has left shared memory " + parts.space() + ", or its protocol has failed");
    }
    return inTime;
  }

  /**
   * Takes back what a thread does not wait for any more, and waits until it is known whether that was too late; also where the thread is
   * interrupted, because the answer must not get lost.
   */
  void cancel(Wait wait) {
    boolean wasInterrupted = Thread.interrupted();
    actor.tell(new DsmNodeActor.Cancel(wait));
    while (!wait.isOver() && !parts.ended().get()) {
      try {
        parts.waits().await(() -> wait.isOver() || parts.ended().get(), FOREVER_NS);
      } catch (IllegalStateException interruptedAgain) {
        wasInterrupted |= Thread.interrupted();
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      Waits.OfLeave wait = new Waits.OfLeave();
      actor.tell(wait);
      try {
        parts.waits().await(() -> wait.isOver() || parts.ended().get(), parts.settings().joinTimeoutNs());
      } finally {
        actor.tell(DsmNodeActor.Stop.INSTANCE);
      }
    }
  }
}
