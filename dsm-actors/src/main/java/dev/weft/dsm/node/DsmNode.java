package dev.weft.dsm.node;

import akka.actor.typed.ActorRef;
import dev.weft.dsm.Consistency;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.OtherShapeException;
import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedMemoryException;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.access.AccessCosts;
import dev.weft.dsm.access.CheckedBytes;
import dev.weft.dsm.access.CheckedDoubles;
import dev.weft.dsm.access.CheckedInts;
import dev.weft.dsm.access.CheckedLongs;
import dev.weft.dsm.access.Faulting;
import dev.weft.dsm.access.InPlace;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.objects.NodeBarrier;
import dev.weft.dsm.objects.NodeCalls;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.objects.NodeCondition;
import dev.weft.dsm.objects.NodeFaulting;
import dev.weft.dsm.objects.NodeLock;
import dev.weft.dsm.objects.RealWaitStrategy;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.objects.WaitStrategy;
import dev.weft.dsm.release.ReleaseCounts;
import dev.weft.dsm.report.DsmReport;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.dsm.sharing.AllocationSite;
import dev.weft.dsm.wire.DsmMessage.Refusal;
import dev.weft.dsm.wire.ObjectName;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.dsm.wire.ObjectSpec.Kind;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Interrupts;
import dev.weft.hca.node.Node;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node of a shared memory, with the synchronous entry points of its protocol: they ask, wait and look, and change no rights. If one JVM has
 * several nodes, each thread must use the {@code DsmNode} of its own node.
 */
public final class DsmNode implements SharedSpace {
  private static final Logger LOG = LoggerFactory.getLogger(DsmNode.class);
  private static final int CACHE_LINE = 64;

  private final DsmParts parts;
  private final ActorRef<NodeCommand> actor;
  private final ConcurrentHashMap<Integer, NodeLock> locks = new ConcurrentHashMap<>();
  private final Faulting faulting;
  private final NodeCalls calls;

  /** A member with its assigned number. */
  DsmNode(DsmParts parts, ActorRef<NodeCommand> actor, int number) {
    this.parts = parts;
    this.actor = actor;
    this.calls = new NodeCalls(parts, actor, number);
    this.faulting = new NodeFaulting(calls, parts, actor);
  }

  /**
   * Joins a node to a shared memory; waits until it is a member.
   *
   * @param space name of the memory: 1 to 32 letters, digits and dashes
   * @param founder name of the first node, which starts the memory; a node that gives its own name is the first node. If the first node is gone,
   *     other nodes of the space are asked
   * @throws IllegalStateException if the node is refused, or got no answer within {@code weft.dsm.join-timeout}; the message says why
   * @throws OutOfMemoryError if this JVM lacks the memory for the frames
   */
  public static DsmNode join(Fabric fabric, Node node, String space, String founder) {
    return join(node, space, founder, DsmSettings.from(fabric.config()), new RealWaitStrategy(fabric, node), false);
  }

  /** The same with settings. */
  public static DsmNode join(Fabric fabric, Node node, String space, String founder, DsmSettings settings) {
    return join(node, space, founder, settings, new RealWaitStrategy(fabric, node), false);
  }

  /**
   * The same with settings and another way for threads to wait.
   *
   * @param takeTurns whether threads and the protocol never run at the same time, as in virtual time
   */
  public static DsmNode join(Node node, String space, String founder, DsmSettings settings, WaitStrategy waits, boolean takeTurns) {
    return join(node, space, founder, settings, waits, takeTurns, AccessCosts.NONE);
  }

  /** The same in access mode virtual: {@code costs} charges the costs of accesses and waits on the simulated machine. */
  public static DsmNode join(Node node, String space, String founder, DsmSettings settings, WaitStrategy waits, boolean takeTurns,
      AccessCosts costs) {
    return NodeStart.join(node, space, founder, settings, waits, takeTurns, costs);
  }

  /** The node's actor, for inspection. */
  public ActorRef<NodeCommand> actor() {
    return actor;
  }

  /**
   * Rights of this node to a minipage of an array, one of {@link Rights}, for tests of the protocol; none if this node does not know the array.
   *
   * @param minipage index in the array
   */
  public byte rights(String array, int minipage) {
    PageTable table = tableOf(array);
    return table == null ? Rights.NONE : table.rights(minipage);
  }

  /** The home of a minipage while no node is lost, as {@link #rights}; -1 if this node does not know the array. */
  public int homeOf(String array, int minipage) {
    PageTable table = tableOf(array);
    return table == null ? -1 : table.spec().homeOf(minipage);
  }

  /** Null if there is none. */
  private PageTable tableOf(String array) {
    return parts.access().tableOf(array);
  }

  @Override
  public int node() {
    return calls.node();
  }

  /** The present state of this node. Waits for its actor. */
  public DsmSnapshot inspect() {
    return calls.await(new Wait.OfSnapshot()).snapshot;
  }

  /** The present state of this node in detail, with at most {@code max} entries of each kind. Waits for its actor. */
  public DsmReport report(int max) {
    return calls.await(new Wait.OfReport(max)).report;
  }

  // Objects.

  private ObjectSpec find(ObjectSpec wanted) {
    ObjectName.require(wanted.name());
    Wait.OfObject answer = calls.await(new Wait.OfObject(wanted, 0, AllocationSite.ofCaller()));
    if (answer.refusal == Refusal.NO_ROOM) {
      throw new SharedMemoryException(answer.text);
    }
    if (answer.refusal != Refusal.NONE) {
      PageTable there = tableOf(wanted.name());
      throw there == null ? new IllegalArgumentException(answer.text)
          : new OtherShapeException(answer.text, there.spec().kind() == Kind.LONGS ? there.spec().length() : -1);
    }
    if (answer.found == null) {
      throw new IllegalStateException("\"" + wanted.name() + "\" was freed while this node asked for it");
    }
    return answer.found;
  }

  private PageTable array(Kind kind, String name, long length, SharingUnit unit, Consistency consistency) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(unit, "unit");
    Objects.requireNonNull(consistency, "consistency");
    if (length < 1 || length > Long.MAX_VALUE / CACHE_LINE) {
      throw new IllegalArgumentException("an array of " + length + " elements, must have from 1 to " + Long.MAX_VALUE / CACHE_LINE);
    }
    PageTable table = parts.access().tableOf(find(ObjectSpec.wanted(kind, name, length, unit, consistency)).firstMinipage());
    if (table == null || !table.spec().name().equals(name)) {
      throw new IllegalStateException("the array \"" + name + "\" was freed");
    }
    return table;
  }

  @Override
  public SharedLongs longs(String name, long length, SharingUnit unit) {
    return longs(name, length, unit, Consistency.SEQUENTIAL);
  }

  @Override
  public SharedLongs longs(String name, long length, SharingUnit unit, Consistency consistency) {
    return new CheckedLongs(array(Kind.LONGS, name, length, unit, consistency), parts.frames(), parts.announcements(), faulting);
  }

  @Override
  public SharedDoubles doubles(String name, long length, SharingUnit unit) {
    return doubles(name, length, unit, Consistency.SEQUENTIAL);
  }

  @Override
  public SharedDoubles doubles(String name, long length, SharingUnit unit, Consistency consistency) {
    return new CheckedDoubles(array(Kind.DOUBLES, name, length, unit, consistency), parts.frames(), parts.announcements(), faulting);
  }

  @Override
  public SharedInts ints(String name, long length, SharingUnit unit) {
    return ints(name, length, unit, Consistency.SEQUENTIAL);
  }

  @Override
  public SharedInts ints(String name, long length, SharingUnit unit, Consistency consistency) {
    return new CheckedInts(array(Kind.INTS, name, length, unit, consistency), parts.frames(), parts.announcements(), faulting);
  }

  @Override
  public SharedBytes bytes(String name, long length, SharingUnit unit) {
    return bytes(name, length, unit, Consistency.SEQUENTIAL);
  }

  @Override
  public SharedBytes bytes(String name, long length, SharingUnit unit, Consistency consistency) {
    return new CheckedBytes(array(Kind.BYTES, name, length, unit, consistency), parts.frames(), parts.announcements(), faulting);
  }

  /**
   * An array for views of other processes, instead of threads of this one. The caller must call {@link PageTable#use} first.
   *
   * @throws RuntimeException as {@link SharedSpace#longs}
   */
  public PageTable map(Kind kind, String name, long length, SharingUnit unit) {
    return array(kind, name, length, unit, Consistency.SEQUENTIAL);
  }

  /** This node's frames; an array starts at its offset. Only for views, where {@link PageTable#rights} allow it. */
  public MemorySegment frames() {
    return parts.frames();
  }

  /**
   * Requests rights to a minipage without waiting.
   *
   * @param whenOver called with null when this node has had the rights, or with the problem; in the receive context, must return soon
   * @throws IllegalStateException if this node has left
   */
  public void fault(PageTable table, int index, byte rights, Consumer<String> whenOver) {
    calls.tell(new Fault(table.spec().firstMinipage() + index, rights, whenOver));
  }

  /**
   * Requests readable copies of {@code count} minipages, without waiting; for all nodes with {@code forAll}.
   *
   * @throws IllegalStateException if this node has left
   */
  public void fetch(PageTable table, int index, int count, boolean forAll) {
    if (forAll) {
      faulting.push(table, index, count);
    } else {
      faulting.prefetch(table, index, count);
    }
  }

  @Override
  public void release() {
    calls.await(new Wait.OfRelease());
  }

  /** Releases as {@link #release}; returns this node's counters of release consistency. */
  public ReleaseCounts releaseCounts() {
    return calls.await(new Wait.OfRelease()).counts;
  }

  @Override
  public void free(String name) {
    Objects.requireNonNull(name, "name");
    calls.checkOpen();
    PageTable table = tableOf(name);
    if (table == null) {
      throw new IllegalArgumentException("there is no array \"" + name + "\"");
    }
    Wait.OfObject answer = calls.await(new Wait.OfObject(null, table.spec().id()));
    if (answer.refusal != Refusal.NONE) {
      throw new IllegalStateException("\"" + name + "\": " + answer.text);
    }
  }

  @Override
  public DsmLock lock(String name) {
    int id = find(ObjectSpec.wanted(Kind.LOCK, name, 0, null)).id();
    return locks.computeIfAbsent(id, unknown -> new NodeLock(id, name, parts.words().get(id), calls));
  }

  /**
   * Releases a lock that this thread has taken for a program that has ended. The next holder learns that the last holder was lost.
   *
   * @throws IllegalStateException if this thread does not have the lock, or this node has left
   */
  public void abandon(DsmLock lock) {
    if (!(lock instanceof NodeLock ours) || ours.calls() != calls) {
      throw new IllegalArgumentException("the lock must be one of this node");
    }
    ours.abandon();
  }

  @Override
  public DsmBarrier barrier(String name, int parties) {
    ObjectSpec.requireParties(name, parties);
    int id = find(ObjectSpec.wanted(Kind.BARRIER, name, parties, null)).id();
    return new NodeBarrier(id, name, parties, calls);
  }

  @Override
  public DsmCondition condition(String name, DsmLock lock) {
    if (!(lock instanceof NodeLock ours) || ours.calls() != calls) {
      throw new IllegalArgumentException("the lock of condition \"" + name + "\" must be one of this node");
    }
    int id = find(new ObjectSpec(0, Kind.CONDITION, name, 0, ours.id(), 0, 0, 0)).id();
    return new NodeCondition(id, name, ours, calls);
  }

  /**
   * Leaves the shared memory without loss: other nodes take over the objects that this node is the home of, and the minipages that only it has.
   * Threads of this node can no longer use the memory; those that wait get an {@link IllegalStateException}. Waits until the node is out, at most
   * {@code weft.dsm.leave-timeout}.
   *
   * @throws IllegalStateException if threads of this node have locks, or there are arrays with release consistency; the node is still a member
   *     then
   * @throws SharedMemoryException if the time was too short to give everything away: the node is out, and minipages that only it had are lost
   */
  public void leave() {
    leave(Wait.OfLeave.inOrder());
  }

  private void leave(Wait.OfLeave wait) {
    boolean isOut = false;
    int left = 0;
    try {
      // An interrupt must not turn an orderly departure into a loss.
      if (Interrupts.putAside(() -> calls.tellAndAwait(wait, wait, parts.settings().leaveTimeoutNs()))) {
        isOut = !wait.hasFailed();
        wait.check();
      } else {
        isOut = true;
        left = leaveAtOnce();
      }
    } finally {
      if (isOut && calls.close()) {
        actor.tell(NodeCommand.Stop.INSTANCE);
      }
    }
    if (left > 0 || !wait.isOver()) {
      throw new SharedMemoryException("node " + parts.node().name() + " has left shared memory " + parts.space() + " after weft.dsm.leave-timeout with " + left
          + " minipages that it could not give away; what only it had of them is lost");
    }
  }

  /** Returns the number of minipages that could not be given away. */
  private int leaveAtOnce() {
    Wait.OfLeave atOnce = Wait.OfLeave.atOnce();
    Interrupts.putAside(() -> parts.waits().await(() -> actor.tell(atOnce), calls.isOver(atOnce), parts.settings().leaveTimeoutNs()));
    return atOnce.left;
  }

  /**
   * As {@link #leave}, but leaves in any case. Locks that threads of this node have pass to others, whose acquire returns
   * {@link DsmLock.Acquired#HOLDER_LOST}. Copies of arrays with release consistency end with the node, after released changes have gone out. If it
   * takes longer than {@code weft.dsm.leave-timeout}, the node counts as lost.
   */
  @Override
  public void close() {
    InPlace.mine().requireOutside(); // Otherwise the node would end as if it were lost, together with the segment in use.
    if (!calls.isClosed() && !parts.ended().get()) {
      try {
        leave(Wait.OfLeave.inAnyCase());
      } catch (IllegalStateException | SharedMemoryException refused) {
        LOG.info("node {} leaves shared memory {} as if it were lost: {}", parts.node().name(), parts.space(), refused.getMessage());
      }
    }
    if (calls.close()) {
      try {
        leaveAtOnce();
      } finally {
        actor.tell(NodeCommand.Stop.INSTANCE);
      }
    }
  }
}
