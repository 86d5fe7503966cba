package dev.weft.pvfs.daemon;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.node.Directory;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.link.Acceptor;
import dev.weft.hca.link.FabricAcceptor;
import dev.weft.hca.link.IncomingClient;
import dev.weft.hca.link.ServiceListener;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.pvfs.Costs;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Hello;
import dev.weft.pvfs.wire.NoEntry;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** The actor of an I/O daemon: accepts clients, lends each its buffers, serves requests, and takes everything back when a client has gone. */
public final class IoDaemonActor {
  /** Messages to this actor. */
  public sealed interface Command {}

  /** Asks for its state. */
  public record Inspect(ActorRef<DaemonSnapshot> replyTo) implements Command {}

  /** Stops the daemon. */
  public enum Stop implements Command {
    INSTANCE
  }

  /** Also accept clients from outside the fabric. */
  record LetIn(ServiceListener listener) implements Command {}

  private record Requested(IncomingClient incoming) implements Command {}

  private record Connected(ConnectionEvent event) implements Command {}

  private record NodeLost(String node) implements Command {}

  private record Done(DiskJob job) implements Command {}

  private enum Notice implements Command {
    COMPLETIONS,
    /** Messages of clients outside the fabric. */
    MESSAGES,
    /** Freed chunks need cleaning. */
    CLEAN,
    /** Check for clients that keep others waiting. */
    PATIENCE
  }

  private static final int REAP_MAX = 256;
  private static final int BUSY_SHOWN = 16;
  /** Spreads the numbers of objects over the file access managers. */
  private static final long SPREAD = 0x9e3779b97f4a7c15L;
  /** Remembered clients, for each one that may be connected. */
  private static final int REMEMBERED_PER_CLIENT = 4;
  /** 16 MiB: some milliseconds. */
  private static final int CHUNKS_PER_CLEANING = 16;
  private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT.withAccessFlags(Access.REMOTE_READ | Access.REMOTE_WRITE);

  private final ActorContext<Command> context;
  private final Node node;
  private final String service;
  private final DaemonSettings settings;
  private final ProtectionDomain pd;
  private final List<MemoryRegion> regions;
  private final DaemonCore core;
  /** Null if no buffers are lent. */
  private final Loans loans;
  private final FabricAcceptor fabric;
  /** The identity of this daemon for clients. */
  private final long identity;
  private final List<DaemonClient> clients = new ArrayList<>();
  private final List<ActorRef<FileAccessActor.Command>> accessManagers = new ArrayList<>();
  private Acceptor acceptor = Acceptor.NONE;
  private Directory.Subscription losses;
  private boolean cleans;
  private final Patience patience = new Patience();
  private boolean isWatching;
  private long refused;

  private IoDaemonActor(ActorContext<Command> context, Node node, String service, DaemonSettings settings, ProtectionDomain pd,
      List<MemoryRegion> regions, CapabilityGuard guard, DiskParts disk, Costs costs) {
    this.context = context;
    this.node = node;
    this.service = service;
    this.settings = settings;
    this.pd = pd;
    this.regions = regions;
    ClientBook book = new ClientBook(settings.credits(), REMEMBERED_PER_CLIENT * settings.clientsMax(), settings.keepNs());
    this.core = disk == null ? inMemory(book, guard) : onDisk(disk, book, guard, costs);
    core.charge(costs);
    this.identity = disk == null ? Hello.inMemory(node.context().random().nextLong()) : disk.identity();
    this.loans = settings.directBuffers() == 0 ? null : new Loans(node.hca(), pd, settings.directBuffers(), settings.transferBytes());
    core.lendFrom(loans);
    this.fabric = new FabricAcceptor(node, pd, channelSettings(settings), settings.clientsMax(), settings.inlineBytes(), OPTIONS, core, context.getSelf(),
        Notice.COMPLETIONS, context.messageAdapter(ConnectionEvent.class, Connected::new));
  }

  static Behavior<Command> create(Node node, String service, DaemonSettings settings, ProtectionDomain pd, List<MemoryRegion> regions,
      CapabilityGuard guard, DiskParts disk, Costs costs) {
    return Behaviors.setup(context -> {
      IoDaemonActor actor = new IoDaemonActor(context, node, service, settings, pd, regions, guard, disk, costs);
      actor.listen();
      return Behaviors.receive(Command.class)
          .onAnyMessage(actor::onMessage)
          .onSignal(PostStop.class, stopped -> actor.onStopped())
          .build();
    });
  }

  private DaemonCore inMemory(ClientBook book, CapabilityGuard guard) {
    StripeMemory stripes = new StripeMemory(regions.get(0).segment());
    return new MemoryCore(stripes, new Transfers(stripes, regions.get(0), regions.get(1), settings.transferBytes()), book, guard, this::breakOff);
  }

  private DaemonCore onDisk(DiskParts disk, ClientBook book, CapabilityGuard guard, Costs costs) {
    ActorRef<Command> self = context.getSelf();
    for (int i = 0; i < settings.disk().threads(); i++) {
      accessManagers.add(node.spawnRole(FileAccessActor.create(disk.access(context.getLog()::error), job -> self.tell(new Done(job)), disk.closed().get(i),
          costs, node.context()), "pvfs-disk-" + service + "-" + i, disk.context()));
    }
    Zones zones = new Zones(regions.get(0), settings.transferBytes());
    return new DiskCore(disk.directory(), disk.counters(), zones, settings.transferBytes(), settings.disk().queue(),
        job -> FileAccessActor.send(accessManagers.get((int) Long.remainderUnsigned(job.object * SPREAD >>> 32, accessManagers.size())), job), book, guard,
        this::breakOff);
  }

  private void listen() {
    fabric.arm();
    node.cm().listen(service, context.messageAdapter(ConnectionRequest.class, request -> new Requested(fabric.incoming(request))));
    ActorRef<Command> self = context.getSelf();
    losses = node.cm().onNodeLost(lost -> self.tell(new NodeLost(lost)));
  }

  static ChannelSettings channelSettings(DaemonSettings settings) {
    int bytes = DaemonRequest.BYTES_MAX + Math.max(settings.inlineBytes(), DaemonReply.BYTES);
    return new ChannelSettings(bytes, Math.max(4, settings.credits()), settings.credits(), 4 * settings.credits());
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case Notice notice -> onNotice(notice);
      case Requested requested -> onRequested(requested.incoming());
      case Connected connected -> onConnectionEvent(connected.event());
      case NodeLost lost -> List.copyOf(clients).stream().filter(client -> client.node.equals(lost.node()))
          .forEach(client -> end(client, "its node was lost"));
      case Done done -> core.onDone(done.job());
      case Inspect inspect -> inspect.replyTo().tell(snapshot());
      case LetIn letIn -> acceptor = letIn.listener().open(node.name(), service, DaemonRequest.BYTES_MAX + letIn.listener().dataBytes(), core,
          context.getSelf(), Notice.MESSAGES, context.messageAdapter(IncomingClient.class, Requested::new));
      case Stop stop -> {
        return Behaviors.stopped();
      }
    }
    watch();
    return Behaviors.same();
  }

  private void watch() {
    if (!isWatching && core.hasWaiting()) {
      isWatching = true;
      node.context().timers().at(nowNs() + settings.patienceNs() / Patience.LOOKS, context.getSelf(), Notice.PATIENCE);
    }
  }

  private void onPatience() {
    isWatching = false;
    if (!core.hasWaiting()) {
      patience.forget();
      return;
    }
    for (DaemonClient stuck : patience.look(core.oldest())) {
      context.getLog().warn("I/O daemon {}: the client of {} has received none of its answers for {} ms or more, and others wait; its connection is"
          + " ended (weft.pvfs.daemon.patience)", service, stuck.node, settings.patienceNs() / 1_000_000);
      end(stuck, "others wait for it");
    }
  }

  private void onNotice(Notice notice) {
    switch (notice) {
      case COMPLETIONS -> fabric.service(REAP_MAX);
      case MESSAGES -> acceptor.service(REAP_MAX);
      case CLEAN -> cleans = false;
      case PATIENCE -> onPatience();
    }
    if (!cleans && core.clean(CHUNKS_PER_CLEANING)) {
      cleans = true;
      context.getSelf().tell(Notice.CLEAN); // Behind the messages that wait.
    }
  }

  private void onRequested(IncomingClient incoming) {
    Hello theirs = Hello.decode(incoming.hello());
    if (theirs != null) {
      endBefore(theirs, incoming.peer());
    }
    if (theirs == null || clients.size() >= settings.clientsMax()) {
      refused++;
      incoming.reject((theirs == null ? NoEntry.NO_HELLO : NoEntry.TOO_MANY_CLIENTS).encode());
      return;
    }
    MemoryRegion fast = null;
    MessageChannel channel = null;
    try {
      channel = incoming.open();
      fast = channel.hasRdma() ? lend() : null;
      accept(incoming, theirs, channel, fast);
    } catch (VerbsException | OutOfMemoryError noRoom) {
      context.getLog().warn("I/O daemon {} refused a client of {}: {}", service, incoming.peer(), noRoom.getMessage());
      refused++;
      if (channel != null) {
        channel.close();
      }
      takeBack(fast);
      incoming.reject(NoEntry.NO_RESOURCES.encode());
    }
  }

  /**
   * Ends the earlier connections of a client that reconnects. Requests on them come too late: the client may have abandoned them, and others have
   * continued.
   */
  private void endBefore(Hello theirs, String peer) {
    clients.stream().filter(client -> client.theirs.instance() == theirs.instance() && client.node.equals(peer)).toList()
        .forEach(before -> end(before, "its client connects again"));
  }

  private int slotBytes() {
    return DaemonRequest.BYTES_MAX + settings.fastBytes();
  }

  private MemoryRegion lend() {
    long bytes = (long) settings.fastSlots() * slotBytes();
    return bytes == 0 ? null : node.hca().regMr(pd, node.hca().allocMemory(Arena.ofAuto(), bytes), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  }

  private void takeBack(MemoryRegion fast) {
    if (fast != null) {
      node.hca().deregMr(fast);
    }
  }

  private void accept(IncomingClient incoming, Hello theirs, MessageChannel channel, MemoryRegion fast) {
    int credits = Math.min(settings.credits(), theirs.credits());
    DaemonClient client = new DaemonClient(incoming.peer(), channel, theirs, fast, slotBytes(), settings.credits(),
        core.book.connected(theirs.instance(), nowNs()));
    Hello ours = fast == null ? new Hello(identity, credits, incoming.dataBytes(), 0, 0, 0, 0)
        : new Hello(identity, credits, incoming.dataBytes(), settings.fastSlots(), slotBytes(), fast.addr(), fast.rkey());
    try {
      incoming.accept(channel, ours.encode(), client);
    } catch (VerbsException | OutOfMemoryError refusedByHca) {
      core.book.disconnected(theirs.instance(), client.done, nowNs());
      throw refusedByHca;
    }
    clients.add(client);
  }

  private void onConnectionEvent(ConnectionEvent event) {
    DaemonClient client = DaemonClient.of(event);
    switch (event) {
      case ConnectionEvent.Established established -> {
        client.connection = established.connection();
        if (client.isClosed) {
          client.connection.disconnect();
        }
      }
      case ConnectionEvent.Rejected rejected -> end(client, "its connection was not made: " + rejected.reason());
      case ConnectionEvent.Disconnected gone -> end(client, gone.nodeLost() ? "its node was lost" : "it disconnected");
    }
  }

  /** The connection has failed, or the client has violated the protocol. */
  private void breakOff(DaemonClient client, String why) {
    if (client.channel.isOpen()) {
      context.getLog().warn("I/O daemon {}: the connection to {} is ended: {}", service, client.node, why);
    }
    end(client, why);
  }

  /** Ends a connection. The queue pair is destroyed first: from then on nothing of it reaches this daemon's memory. */
  private void end(DaemonClient client, String why) {
    if (client.isClosed) {
      return;
    }
    client.isClosed = true;
    clients.remove(client);
    context.getLog().info("I/O daemon {}: the connection to {} ends: {}", service, client.node, why);
    if (client.connection != null) {
      client.connection.disconnect();
    }
    client.channel.close();
    takeBack(client.fast);
    core.forget(client);
    core.book.disconnected(client.theirs.instance(), client.done, nowNs());
  }

  private long nowNs() {
    return node.context().clock().nowNs();
  }

  private DaemonSnapshot snapshot() {
    List<DaemonSnapshot.Client> views = clients.stream()
        .map(client -> new DaemonSnapshot.Client(client.node, client.operationsMax, client.underWay(), client.requests)).toList();
    return new DaemonSnapshot(core.totalBytes(), core.freeBytes(), core.objects(), views, LongStream.of(core.requests).boxed().toList(),
        LongStream.of(core.bands).boxed().toList(), LongStream.of(core.bandBytes).boxed().toList(), core.busy.first(BUSY_SHOWN),
        core.bytesRead, core.bytesWritten, core.bytesCopied, core.moving(), core.starving(), core.lent(),
        refused + core.refused, core.cutOff, core.repeated, core.badWrites, core.view());
  }

  private Behavior<Command> onStopped() {
    node.cm().unlisten(service);
    losses.cancel();
    List.copyOf(clients).forEach(client -> end(client, "the daemon stops"));
    acceptor.close();
    fabric.close();
    if (loans != null) {
      loans.close();
    }
    regions.forEach(node.hca()::deregMr);
    node.hca().deallocPd(pd);
    accessManagers.forEach(each -> each.tell(FileAccessActor.Stop.INSTANCE)); // Behind the jobs that they have.
    return Behaviors.same();
  }
}
