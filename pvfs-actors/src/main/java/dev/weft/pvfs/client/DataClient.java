package dev.weft.pvfs.client;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.time.Clock;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.link.Transport;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Interrupts;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.Costs;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.InterruptedCallException;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.types.Shape;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Moves data between a program's memory and the I/O daemons of a file system. It knows files by number and striping. Any thread. */
public final class DataClient implements AutoCloseable {
  private static final MemorySegment[] NO_MEMORY = {};

  private final Fabric fabric;
  private final ClientParts parts;
  private final ActorRef<PvfsClientActor.Command> actor;
  private final Runnable ring;
  private final LongSupplier wallNs;

  private DataClient(Fabric fabric, ClientParts parts, ActorRef<PvfsClientActor.Command> actor) {
    this.fabric = fabric;
    this.parts = parts;
    this.actor = actor;
    Clock clock = parts.node().context().clock();
    this.wallNs = clock == RealClock.INSTANCE ? RealClock::wallNs : clock::nowNs; // Virtual time has no other clock.
    this.ring = () -> actor.tell(PvfsClientActor.Signal.DOORBELL);
  }

  /**
   * Starts a client. It connects in the background; operations wait until it is connected.
   *
   * @param name unique among the roles of the node
   * @param daemons all daemons of the file system, in its order
   */
  public static DataClient start(Fabric fabric, Node node, String name, List<DaemonAddress> daemons, ClientSettings settings) {
    return start(fabric, node, name, daemons, settings, CapabilitySource.NONE);
  }

  /** Starts a client for daemons that require capabilities of the manager. */
  public static DataClient start(Fabric fabric, Node node, String name, List<DaemonAddress> daemons, ClientSettings settings,
      CapabilitySource capabilities) {
    return start(fabric, node, name, daemons, settings, capabilities, null, Costs.NONE);
  }

  /**
   * Starts a client over another transport.
   *
   * @param fabric gives the client a thread and a clock; the daemons need not belong to it
   * @param transport reaches the daemons; its owner closes it afterwards; null for the fabric
   */
  public static DataClient start(Fabric fabric, Node node, String name, List<DaemonAddress> daemons, ClientSettings settings,
      CapabilitySource capabilities, Transport transport) {
    return start(fabric, node, name, daemons, settings, capabilities, transport, Costs.NONE);
  }

  /** Starts a client that is charged for its work in virtual time. */
  public static DataClient charged(Fabric fabric, Node node, String name, List<DaemonAddress> daemons, ClientSettings settings, Costs costs) {
    return start(fabric, node, name, daemons, settings, CapabilitySource.NONE, null, costs);
  }

  private static DataClient start(Fabric fabric, Node node, String name, List<DaemonAddress> daemons, ClientSettings settings,
      CapabilitySource capabilities, Transport transport, Costs costs) {
    ClientSettings own = transport == null ? settings : settings.withMessagesOnly(transport.dataBytes());
    ClientParts parts = new ClientParts(node, own, daemons, capabilities, transport, costs);
    try {
      return new DataClient(fabric, parts, node.spawnRole(PvfsClientActor.create(parts), "pvfs-client-" + name, settings.context()));
    } catch (RuntimeException refused) {
      parts.close();
      throw refused;
    }
  }

  public ActorRef<PvfsClientActor.Command> actor() {
    return actor;
  }

  /** Sends the client's state to {@code replyTo}. */
  public void inspect(ActorRef<ClientSnapshot> replyTo) {
    actor.tell(new PvfsClientActor.Inspect(replyTo));
  }

  private IoTask task(DaemonOp op, long object, Striping striping, long[] offsets, long[] lengths, MemorySegment[] memory, Consumer<IoTask> then) {
    IoTask task = new IoTask(op, object, striping, offsets, lengths, memory, done -> {
      parts.inbox().over();
      then.accept(done);
    });
    task.askedAt(wallNs.getAsLong());
    return task;
  }

  /**
   * Begins an operation without waiting; parameters as in {@link IoTask#IoTask}.
   *
   * @return null if {@code tasks-max} operations are under way, or the client is closed
   */
  public IoTask begin(DaemonOp op, long object, Striping striping, long[] offsets, long[] lengths, MemorySegment[] memory, Consumer<IoTask> then) {
    IoTask task = task(op, object, striping, offsets, lengths, memory, then);
    return parts.inbox().offer(task, ring) ? task : null;
  }

  /**
   * Waits for the daemons of a file as any call does. Use it before asking the manager for a change that waits for all of them.
   *
   * @param of gives the striping if a daemon is not reachable; null if the file has no data
   * @return OK if each daemon was reached a moment ago, otherwise the reason why one was not
   */
  public int reach(long object, Supplier<Striping> of) {
    if (parts.reachesAll()) {
      return Errno.OK;
    }
    Striping striping = of.get();
    return striping == null ? Errno.OK : stat(object, striping).errno();
  }

  /** Whether the client accepts no more operations. */
  public boolean isClosed() {
    return parts.inbox().isClosed();
  }

  /**
   * Runs an operation and waits for its end. Meanwhile this thread does the work of the hardware.
   *
   * @throws InterruptedCallException if the thread was interrupted: the operation goes on and uses the memory
   * @throws IllegalStateException if the client is closed
   */
  public IoTask call(DaemonOp op, long object, Striping striping, long[] offsets, long[] lengths, MemorySegment[] memory) {
    return callShaped(op, object, striping, null, 0, offsets, lengths, memory);
  }

  /** As {@link #call}, for ranges that are a part of a shape's data, from {@code position} on. Requests carry the shape if that is shorter. */
  public IoTask callShaped(DaemonOp op, long object, Striping striping, Shape shape, long position, long[] offsets, long[] lengths, MemorySegment[] memory) {
    IoTask task = task(op, object, striping, offsets, lengths, memory, _ -> { });
    if (shape != null && offsets.length > DaemonRequest.RANGES_MAX) {
      task.shaped(shape, position);
    }
    return done(task);
  }

  /** Writes one range; the errno is in the task. */
  public IoTask write(long object, Striping striping, long offset, MemorySegment from) {
    return call(DaemonOp.WRITE, object, striping, new long[] {offset}, new long[] {from.byteSize()}, new MemorySegment[] {from});
  }

  /** Writes one range, and sends only while {@code fence} is open; EIO if the fence is shut before all is done. */
  public IoTask write(long object, Striping striping, long offset, MemorySegment from, Fence fence) {
    IoTask task = task(DaemonOp.WRITE, object, striping, new long[] {offset}, new long[] {from.byteSize()}, new MemorySegment[] {from}, _ -> { });
    task.behind(fence);
    return done(task);
  }

  /** Hands a task over and waits for its end. */
  private IoTask done(IoTask task) {
    parts.inbox().call(fabric, task, ring, task::isDone, "I/O daemons");
    return task;
  }

  /** Reads one range; the errno and the number of bytes are in the task. */
  public IoTask read(long object, Striping striping, long offset, MemorySegment to) {
    return call(DaemonOp.READ, object, striping, new long[] {offset}, new long[] {to.byteSize()}, new MemorySegment[] {to});
  }

  /** Asks for the length of a file, in {@link IoTask#fileBytes}. */
  public IoTask stat(long object, Striping striping) {
    return call(DaemonOp.STAT, object, striping, new long[0], new long[0], NO_MEMORY);
  }

  /**
   * Asks for the space of all daemons together, in {@link IoTask#freeBytes} and {@link IoTask#totalBytes}. A disk that several daemons share counts
   * once.
   *
   * @param object any object that the client may use
   */
  public IoTask room(long object) {
    int daemons = parts.daemons().size();
    return call(DaemonOp.STATFS, object, new Striping(0, daemons, Striping.STRIPE_BYTES_DEFAULT, daemons), new long[0], new long[0], NO_MEMORY);
  }

  /** Cuts or extends a file. */
  public IoTask truncate(long object, Striping striping, long bytes) {
    return call(DaemonOp.TRUNCATE, object, striping, new long[] {bytes}, new long[] {0}, NO_MEMORY);
  }

  /** Sets a range to zeros and frees its space; the length stays. */
  public IoTask punch(long object, Striping striping, long offset, long bytes) {
    return call(DaemonOp.PUNCH, object, striping, new long[] {offset}, new long[] {bytes}, NO_MEMORY);
  }

  /** Removes the data of a file. */
  public IoTask remove(long object, Striping striping) {
    return call(DaemonOp.REMOVE, object, striping, new long[0], new long[0], NO_MEMORY);
  }

  /** Begins to watch losses, for a program that opens a file for writing and will {@link #sync(long, Striping, LossWatch) sync} it. */
  public LossWatch watch(long object) {
    return parts.losses().watch(object);
  }

  /** Records that the manager has cut a file for this client, so later syncs also report the loss of this change. Does not wait. */
  public void cutByManager(long object, Striping striping) {
    actor.tell(new PvfsClientActor.Changed(object, striping));
  }

  /**
   * Returns when all written data is on disk, if the daemons have disks.
   *
   * @return an errno; EIO, once, if acknowledged changes of this client may be lost because a daemon was restarted before they were synced
   */
  public int sync(long object, Striping striping, LossWatch watch) {
    int errno = sync(object, striping).errno();
    return errno == Errno.OK && watch.tells() ? Errno.EIO : errno;
  }

  /** Syncs the present daemons, whatever their predecessors have lost. */
  public IoTask sync(long object, Striping striping) {
    return call(DaemonOp.SYNC, object, striping, new long[0], new long[0], NO_MEMORY);
  }

  /**
   * Reads a page of the list of one daemon's objects into {@code to}: pairs of a number and a length, 8 bytes each in this machine's byte order. The
   * task has the errno, the bytes of the page, and where the next page begins.
   *
   * @param daemon its index
   * @param cookie 0 for the first page, then that of the page before
   */
  public IoTask list(int daemon, long cookie, MemorySegment to) {
    return call(DaemonOp.LIST, 0, new Striping(daemon, 1, 1, daemon + 1), new long[] {cookie}, new long[] {to.byteSize()}, new MemorySegment[] {to});
  }

  /**
   * Makes the daemons compare the first {@code bytes} of a file, and possibly what follows, with their checksums. Nothing is repaired; the task has
   * the number of bad blocks. It reads all data but skips holes.
   */
  public IoTask scrub(long object, Striping striping, long bytes) {
    return call(DaemonOp.SCRUB, object, striping, new long[] {0}, new long[] {bytes}, NO_MEMORY);
  }

  /** Waits until a condition holds or the client is closed. An interrupt does not end the wait. */
  public void await(BooleanSupplier until) {
    Interrupts.awaitToTheEnd(fabric, () -> until.getAsBoolean() || isClosed(), Inbox.FOREVER);
  }

  /** Breaks the connection to a daemon as if it had failed; the client reconnects. For tests. */
  public void dropConnection(int daemon) {
    actor.tell(new PvfsClientActor.Drop(daemon));
  }

  /** Begins to close the client, without waiting. Operations under way end with {@link Errno#ESHUTDOWN}. */
  public void end() {
    actor.tell(PvfsClientActor.Signal.CLOSE);
  }

  /** Closes the client, and waits for its end. */
  @Override
  public void close() {
    end();
    Interrupts.awaitToTheEnd(fabric, parts.inbox()::isClosed, Duration.ofSeconds(10));
  }
}
