package dev.weft.pvfs.meta;

import akka.actor.typed.ActorRef;
import com.typesafe.config.Config;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.link.Transport;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Interrupts;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.client.Grants;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A client of a file system's manager. Any thread. */
public final class MetaClient implements AutoCloseable {
  private static final Duration GOOD_BYE = Duration.ofSeconds(1);
  private static final long AGAIN_NS = 1_000_000;

  private final Fabric fabric;
  private final MetaParts parts;
  private final ActorRef<MetaClientActor.Command> actor;
  private final Runnable ring;
  private final AtomicLong nextId = new AtomicLong(1);
  private final EventReader events;
  private final LockClient locks;
  private final LongValues values = new LongValues();

  private MetaClient(Fabric fabric, MetaParts parts, ActorRef<MetaClientActor.Command> actor, boolean isSimulated) {
    this.events = new EventReader(this, !isSimulated);
    this.locks = new LockClient(this, events);
    this.fabric = fabric;
    this.parts = parts;
    this.actor = actor;
    this.ring = () -> actor.tell(MetaClientActor.Signal.DOORBELL);
    parts.whenLost(events::lapse);
    locks.listenTo(parts.ledger());
  }

  /**
   * Starts a client. It connects in the background; requests wait until it is connected.
   *
   * @param name unique among the roles of the node
   */
  public static MetaClient start(Fabric fabric, Node node, String name, DaemonAddress manager, Config config) {
    return start(fabric, node, name, manager, config, null);
  }

  /**
   * Starts a client over another transport.
   *
   * @param transport reaches the manager; its owner closes it afterwards; null for the fabric
   */
  public static MetaClient start(Fabric fabric, Node node, String name, DaemonAddress manager, Config config, Transport transport) {
    return start(fabric, node, name, manager, config, transport, false);
  }

  /** Starts a client in virtual time: it has no thread, and its event listeners must not wait. */
  public static MetaClient simulated(Fabric fabric, Node node, String name, DaemonAddress manager, Config config) {
    return start(fabric, node, name, manager, config, null, true);
  }

  private static MetaClient start(Fabric fabric, Node node, String name, DaemonAddress manager, Config config, Transport transport, boolean isSimulated) {
    MetaSettings settings = MetaSettings.from(config);
    ProtectionDomain pd = node.hca().allocPd();
    try {
      // A pause counts: the manager and the daemons may have gone on meanwhile.
      LongSupplier clock = isSimulated ? node.context().clock()::nowNs : RealClock.ofMachine()::nowNs;
      MetaParts parts = new MetaParts(pd, transport, settings.callsMax(), clock, isSimulated ? clock : RealClock::wallNs);
      MetaClient client = new MetaClient(fabric, parts,
          node.spawnRole(MetaClientActor.create(node, manager, settings, parts), "pvfs-meta-" + name, settings.context()), isSimulated);
      parts.grants().renewBy((inode, then) -> client.askSurely(MetaRequest.of(MetaOp.RENEW, Caller.ROOT, inode), _ -> then.run()));
      return client;
    } catch (RuntimeException refused) {
      node.hca().deallocPd(pd);
      throw refused;
    }
  }

  /** Capabilities of this client's open files, for its {@link dev.weft.pvfs.client.DataClient}. */
  public Grants grants() {
    return parts.grants();
  }

  /** Returns why the manager is unreachable; empty if it is reachable. */
  public String why() {
    return parts.why();
  }

  /**
   * Asks without waiting: {@code then} gets the answer on the client's thread, and must not block. Returns false if {@code tasks-max} requests are
   * under way.
   */
  public boolean tryAsk(MetaRequest request, Consumer<MetaReply> then) {
    MetaCall call = new MetaCall(request.numbered(nextId.getAndIncrement()), then);
    return isTooLong(call) || parts.inbox().offer(call, ring);
  }

  /** As {@link #tryAsk}, but always accepts the request: if there is no room, a separate thread waits for some. */
  public void askSurely(MetaRequest request, Consumer<MetaReply> then) {
    if (tryAsk(request, then)) {
      return;
    }
    if (isClosed()) {
      then.accept(MetaReply.failed(request.id(), Errno.ESHUTDOWN));
    } else {
      Thread.ofVirtual().start(() -> {
        LockSupport.parkNanos(AGAIN_NS);
        askSurely(request, then);
      });
    }
  }

  /** Whether the client accepts no more requests. */
  public boolean isClosed() {
    return parts.inbox().isClosed();
  }

  /** The client's locks; on the client's thread. */
  LockLedger ledger() {
    return parts.ledger();
  }

  /** As {@link MetaParts#suspendAwareNs}. */
  long suspendAwareNs() {
    return parts.suspendAwareNs();
  }

  /** Waits for a condition; returns false after {@code max}, or when the thread is interrupted. */
  boolean await(BooleanSupplier until, Duration max) {
    return fabric.await(until, max);
  }

  /** As {@link #await}, but an interrupt does not end it. */
  boolean awaitToTheEnd(BooleanSupplier until, Duration max) {
    return Interrupts.awaitToTheEnd(fabric, until, max);
  }

  /** Returns true if it is too long for a message and was answered with an error. */
  private static boolean isTooLong(MetaCall call) {
    boolean fits = call.request.fits();
    if (!fits) {
      call.finish(MetaReply.failed(call.request.id(), call.request.value().length > MetaRequest.VALUE_BYTES_MAX ? Errno.E2BIG : Errno.ENAMETOOLONG));
    }
    return !fits;
  }

  /**
   * Asks, and waits for the answer. Meanwhile this thread does the work of the hardware.
   *
   * @throws dev.weft.pvfs.InterruptedCallException if the thread was interrupted: the request may be carried out; a file that it opens is closed
   *     again
   * @throws IllegalStateException if the client is closed
   */
  public MetaReply ask(MetaRequest request) {
    return ask(request, _ -> { });
  }

  /** As above. Before this returns, {@code then} gets the answer on the client's thread, in the order of the manager's answers; it must not block. */
  public MetaReply ask(MetaRequest request, Consumer<MetaReply> then) {
    MetaCall call = new MetaCall(request.numbered(nextId.getAndIncrement()), then);
    if (isTooLong(call)) {
      return call.reply();
    }
    try {
      parts.inbox().call(fabric, call, ring, () -> call.reply() != null, "the manager");
    } catch (IllegalStateException ended) {
      MetaReply late = call.abandon();
      if (late != null && opened(call.request, late)) {
        askSurely(OpenTable.closing(call.request, late), _ -> { });
      }
      throw ended;
    }
    return call.reply();
  }

  private static boolean opened(MetaRequest request, MetaReply reply) {
    return OpenTable.accessOf(request) != 0 && reply.errno() == Errno.OK;
  }

  /** The manager's events for this client; they begin with the first listener or waiting lock. */
  public EventReader events() {
    return events;
  }

  /** Access to file locks. */
  public LockClient locks() {
    return locks;
  }

  /** Access to extended attributes that may be too long for one message. */
  public LongValues values() {
    return values;
  }

  /** Breaks the connection to the manager as if it had failed; the client reconnects. For tests. */
  public void dropConnection() {
    actor.tell(MetaClientActor.Signal.DROP);
  }

  /** Closes the client; requests under way end with {@link Errno#ESHUTDOWN}. */
  @Override
  public void close() {
    events.close();
    AtomicBoolean said = new AtomicBoolean();
    if (parts.why().isEmpty() && tryAsk(MetaRequest.of(MetaOp.BYE, Caller.ROOT, 0), _ -> said.set(true))) {
      awaitToTheEnd(said::get, GOOD_BYE); // Otherwise the manager keeps the client's open files for a while.
    }
    actor.tell(MetaClientActor.Signal.CLOSE);
    awaitToTheEnd(parts.inbox()::isClosed, Duration.ofSeconds(10));
  }
}
