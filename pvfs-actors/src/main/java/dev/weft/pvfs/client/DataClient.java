package dev.weft.pvfs.client;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.time.Clock;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Interrupts;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.Costs;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.InterruptedCallException;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.transport.Transport;
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

/** Moves data between a program's memory and the I/O daemons of a file system, whose files it knows by number and striping. Any thread. */
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
    this.wallNs = clock == RealClock.INSTANCE ? RealClock::wallNs : clock::nowNs; // In virtual time there is no other one.
    this.ring = () -> actor.tell(PvfsClientActor.Signal.DOORBELL);
  }

  /**
   * Starts a client; it connects in the background, and what is asked before that waits.
   *
   * @param name unique among the roles of the node
   * @param daemons all of the file system, in its order
   */
  public static DataClient start(Fabric fabric, Node node, String name, List<DaemonAddress> daemons, ClientSettings settings) {
    return start(fabric, node, name, daemons, settings, CapabilitySource.NONE);
  }

  /** The same, for daemons that serve only what the manager has allowed. */
  public static DataClient start(Fabric fabric, Node node, String name, List<DaemonAddress> daemons, ClientSettings settings,
      CapabilitySource capabilities) {
    return start(fabric, node, name, daemons, settings, capabilities, null, Costs.NONE);
  }

  /**
   * The same over another transport.
   *
   * @param fabric that gives it a thread and a clock; what daemons are of does not matter
   * @param transport reaches the daemons, and is closed by its owner afterwards; null for the fabric
   */
  public static DataClient start(Fabric fabric, Node node, String name, List<DaemonAddress> daemons, ClientSettings settings,
      CapabilitySource capabilities, Transport transport) {
    return start(fabric, node, name, daemons, settings, capabilities, transport, Costs.NONE);
  }

  /** One of virtual time, where it is charged for what it does. */
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

  /** Its state goes to {@code replyTo}. */
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
   * Hands over an operation, and does not wait; the rest as {@link IoTask#IoTask}.
   *
   * @return null if there are {@code tasks-max} already, or the client is closed
   */
  public IoTask begin(DaemonOp op, long object, Striping striping, long[] offsets, long[] lengths, MemorySegment[] memory, Consumer<IoTask> then) {
    IoTask task = task(op, object, striping, offsets, lengths, memory, then);
    return parts.inbox().offer(task, ring) ? task : null;
  }

  /**
   * Before the manager is asked for a change that waits for all daemons of a file: waits for these as any call does.
   *
   * @param of the striping, asked for only where a daemon is not reached; null if the file has no data
   * @return OK if each was reached a moment ago, or why one was not
   */
  public int reach(long object, Supplier<Striping> of) {
    if (parts.reachesAll()) {
      return Errno.OK;
    }
    Striping striping = of.get();
    return striping == null ? Errno.OK : stat(object, striping).errno();
  }

  /** Whether nothing can be asked any more. */
  public boolean isClosed() {
    return parts.inbox().isClosed();
  }

  /**
   * An operation, and waits until it is over; this thread does the work of the hardware meanwhile.
   *
   * @throws InterruptedCallException if the thread was interrupted: the operation goes on then, and uses the memory
   * @throws IllegalStateException if the client is closed
   */
  public IoTask call(DaemonOp op, long object, Striping striping, long[] offsets, long[] lengths, MemorySegment[] memory) {
    return callShaped(op, object, striping, null, 0, offsets, lengths, memory);
  }

  /** The same as {@link #call} of ranges that are a part of the data of a shape, from {@code position} on: daemons are told the shape where that is less. */
  public IoTask callShaped(DaemonOp op, long object, Striping striping, Shape shape, long position, long[] offsets, long[] lengths, MemorySegment[] memory) {
    IoTask task = task(op, object, striping, offsets, lengths, memory, _ -> { });
    if (shape != null && offsets.length > DaemonRequest.RANGES_MAX) {
      task.shaped(shape, position);
    }
    return done(task);
  }

  /** One range; the errno is in the task. */
  public IoTask write(long object, Striping striping, long offset, MemorySegment from) {
    return call(DaemonOp.WRITE, object, striping, new long[] {offset}, new long[] {from.byteSize()}, new MemorySegment[] {from});
  }

  /** The same, sent only as long as {@code fence} is open; EIO where it is shut before all is done. */
  public IoTask write(long object, Striping striping, long offset, MemorySegment from, Fence fence) {
    IoTask task = task(DaemonOp.WRITE, object, striping, new long[] {offset}, new long[] {from.byteSize()}, new MemorySegment[] {from}, _ -> { });
    task.behind(fence);
    return done(task);
  }

  /** Hands it over, and waits until it is over. */
  private IoTask done(IoTask task) {
    parts.inbox().call(fabric, task, ring, task::isDone, "I/O daemons");
    return task;
  }

  /** One range; the errno is in the task, and how much there was. */
  public IoTask read(long object, Striping striping, long offset, MemorySegment to) {
    return call(DaemonOp.READ, object, striping, new long[] {offset}, new long[] {to.byteSize()}, new MemorySegment[] {to});
  }

  /** The length of a file, in {@link IoTask#fileBytes}. */
  public IoTask stat(long object, Striping striping) {
    return call(DaemonOp.STAT, object, striping, new long[0], new long[0], NO_MEMORY);
  }

  /**
   * The room of all daemons together, in {@link IoTask#freeBytes} and {@link IoTask#totalBytes}; of a disk that several share once.
   *
   * @param object any that may be asked for
   */
  public IoTask room(long object) {
    int daemons = parts.daemons().size();
    return call(DaemonOp.STATFS, object, new Striping(0, daemons, Striping.STRIPE_BYTES_DEFAULT, daemons), new long[0], new long[0], NO_MEMORY);
  }

  /** Cuts or extends a file. */
  public IoTask truncate(long object, Striping striping, long bytes) {
    return call(DaemonOp.TRUNCATE, object, striping, new long[] {bytes}, new long[] {0}, NO_MEMORY);
  }

  /** Makes a range zeros, and gives back what it took; the length stays. */
  public IoTask punch(long object, Striping striping, long offset, long bytes) {
    return call(DaemonOp.PUNCH, object, striping, new long[] {offset}, new long[] {bytes}, NO_MEMORY);
  }

  /** Forgets the data of a file. */
  public IoTask remove(long object, Striping striping) {
    return call(DaemonOp.REMOVE, object, striping, new long[0], new long[0], NO_MEMORY);
  }

  /** For who opens a file to write, and will {@link #sync(long, Striping, LossWatch) sync} it. */
  public LossWatch watch(long object) {
    return parts.losses().watch(object);
  }

  /** The manager was asked to cut a file, and has answered: what syncs tell of changes of this client, they tell of this one, too. Does not wait. */
  public void cutByManager(long object, Striping striping) {
    actor.tell(new PvfsClientActor.Changed(object, striping));
  }

  /**
   * All that was written is on disk when this is over, if the daemons have disks.
   *
   * @return an errno; EIO, once, where changes that this client was answered may be lost, since a daemon was started anew before they were synced
   */
  public int sync(long object, Striping striping, LossWatch watch) {
    int errno = sync(object, striping).errno();
    return errno == Errno.OK && watch.tells() ? Errno.EIO : errno;
  }

  /** The same of the daemons as they are now, whatever others before them have lost. */
  public IoTask sync(long object, Striping striping) {
    return call(DaemonOp.SYNC, object, striping, new long[0], new long[0], NO_MEMORY);
  }

  /**
   * A page of the objects of one daemon, as pairs of a number and a length, 8 bytes each in this machine's order, in {@code to}; the errno is in the task,
   * how much there was, and where the next page begins.
   *
   * @param daemon its index
   * @param cookie 0 for the first page, then what the page before said
   */
  public IoTask list(int daemon, long cookie, MemorySegment to) {
    return call(DaemonOp.LIST, 0, new Striping(daemon, 1, 1, daemon + 1), new long[] {cookie}, new long[] {to.byteSize()}, new MemorySegment[] {to});
  }

  /**
   * Has the daemons check the first {@code bytes} of a file, and maybe what follows these, against their checksums, and mends nothing; the task says how many
   * blocks are bad. It takes as long as what is there takes: holes cost nothing.
   */
  public IoTask scrub(long object, Striping striping, long bytes) {
    return call(DaemonOp.SCRUB, object, striping, new long[] {0}, new long[] {bytes}, NO_MEMORY);
  }

  /** Waits until something is so, or the client is closed; no interrupt ends that. */
  public void await(BooleanSupplier until) {
    Interrupts.awaitToTheEnd(fabric, () -> until.getAsBoolean() || isClosed(), Inbox.FOREVER);
  }

  /** Breaks the connection to a daemon, as if it had failed; the client connects again. For tests. */
  public void dropConnection(int daemon) {
    actor.tell(new PvfsClientActor.Drop(daemon));
  }

  /** Ends it soon, and does not wait; what is under way ends with {@link Errno#ESHUTDOWN}. */
  public void end() {
    actor.tell(PvfsClientActor.Signal.CLOSE);
  }

  /** The same, and waits for the end. */
  @Override
  public void close() {
    end();
    Interrupts.awaitToTheEnd(fabric, parts.inbox()::isClosed, Duration.ofSeconds(10));
  }
}
