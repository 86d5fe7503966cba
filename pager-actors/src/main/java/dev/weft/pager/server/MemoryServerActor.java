package dev.weft.pager.server;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.Marks;
import dev.weft.hca.Access;
import dev.weft.hca.ProtectionDomain;
import dev.weft.hca.ReceiveContext;
import dev.weft.hca.VerbsException;
import dev.weft.hca.WriteWatches;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MailboxAddress;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.node.Node;
import dev.weft.pager.PagerMark;
import dev.weft.pager.memory.RegionAllocator;
import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.PagerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A memory server: takes clients in, each with an area of its own, and sleeps when there was nothing to do for {@code
 * idle-time}. Awake it looks at its completion queue every {@code poll-interval}, or, with 0, on each event; asleep it
 * is woken by the event that it armed for.
 */
public final class MemoryServerActor {
  /** What a memory server can be told. */
  public sealed interface Command {}

  /** Asks for the state of the server. */
  public record Inspect(ActorRef<MemoryServerSnapshot> replyTo) implements Command {}

  /** Stops the server. */
  public enum Stop implements Command {
    INSTANCE
  }

  private record Requested(ConnectionRequest request) implements Command {}

  private record Lost(ClientArea client, String why) implements Command {}

  private record Copied(ServerOp op) implements Command {}

  private record Zeroed(Zeroing zeroing) implements Command {}

  private enum Alarm implements Command {
    COMPLETIONS,
    LOOK,
    IDLE
  }

  /** As the client's: a pause of five seconds is survived, death is noticed after 8.6 s at most (1.07 s, 7 retries). */
  private static ConnectionOptions options(int accessFlags) {
    return ConnectionOptions.DEFAULT.withAccessFlags(accessFlags).withTimeout(18);
  }

  private final ActorContext<Command> context;
  private final Node node;
  private final String service;
  private final ServerSettings settings;
  private final ProtectionDomain pd;
  private final PagerStore store;
  private final ServerCore core;
  private final MessageEndpoint endpoint;
  private final List<ClientArea> clients = new ArrayList<>();
  /** Clients that are gone, whose areas are being zeroed still. */
  private final List<ClientArea> leaving = new ArrayList<>();
  private int nextClientId;
  private long refused;
  private boolean asleep = true;
  private long sleeps;
  private long wakeups;
  private long lastWorkNs;
  private boolean hasWorked;
  private boolean idleAlarmSet;
  private boolean lookAlarmSet;

  private MemoryServerActor(ActorContext<Command> context, Node node, String service, ServerSettings settings,
      ProtectionDomain pd, PagerStore store) {
    this.context = context;
    this.node = node;
    this.service = service;
    this.settings = settings;
    this.pd = pd;
    this.store = store;
    ActorRef<Command> self = context.getSelf();
    this.core = new ServerCore(settings, store, this::close, node.context().clock(),
        (op, atNs) -> node.context().timers().at(atNs, self, new Copied(op)));
    int cqEntries = settings.clientsMax() * channelSettings(0).cqEntries();
    Runnable wake = () -> self.tell(Alarm.COMPLETIONS);
    WriteWatches watches = settings.notification().watchesOf(node.hca());
    this.endpoint = watches == null ? new MessageEndpoint(node.hca(), pd, cqEntries, ReceiveContext.ISR, false, core, wake)
        : new MessageEndpoint(node.hca(), pd, cqEntries, ReceiveContext.ISR, watches, core, wake);
  }

  static Behavior<Command> create(Node node, String service, ServerSettings settings, ProtectionDomain pd, PagerStore store) {
    return Behaviors.setup(context -> {
      MemoryServerActor actor = new MemoryServerActor(context, node, service, settings, pd, store);
      actor.endpoint.arm();
      ActorRef<Command> self = context.getSelf();
      node.cm().listen(service, request -> self.tell(new Requested(request)));
      return Behaviors.receive(Command.class)
          .onAnyMessage(actor::onMessage)
          .onSignal(PostStop.class, stopped -> actor.onStopped())
          .build();
    });
  }

  private ChannelSettings channelSettings(int inlineBytes) {
    return new ChannelSettings(settings.messageBytes(), Math.max(settings.messageBytes(), PagerRequest.BYTES + inlineBytes),
        Math.max(4, 2 * settings.credits()), settings.credits(), 2 * settings.credits(), false);
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case Alarm alarm -> onAlarm(alarm);
      case Requested requested -> onRequested(requested.request());
      case Lost lost -> close(lost.client(), lost.why());
      case Copied copied -> core.copied(copied.op());
      case Zeroed zeroed -> onZeroed(zeroed.zeroing());
      case Inspect inspect -> inspect.replyTo().tell(snapshot());
      case Stop stop -> {
        return Behaviors.stopped();
      }
    }
    return Behaviors.same();
  }

  private void onAlarm(Alarm alarm) {
    switch (alarm) {
      case COMPLETIONS -> onCompletions();
      case LOOK -> onLook();
      case IDLE -> onIdle();
    }
  }

  private void onCompletions() {
    if (settings.pollNs() == 0) {
      // Woken by events also while awake: whether it slept in between is arithmetic and needs no alarm.
      if (sleepsNow()) {
        sleeps++;
        wakeups++;
      }
      endpoint.service(settings.reapMax());
      lastWorkNs = node.context().clock().nowNs();
      hasWorked = true;
      return;
    }
    if (asleep) {
      asleep = false;
      wakeups++;
    }
    endpoint.drain(settings.reapMax());
    setLookAlarm();
    worked();
  }

  private boolean sleepsNow() {
    return settings.pollNs() > 0 ? asleep
        : hasWorked && !isBusy() && node.context().clock().nowNs() - lastWorkNs >= settings.idleNs();
  }

  /** Times that it went to sleep, a sleep under way included, which without polling is not counted before it ends. */
  private long sleepCount() {
    return settings.pollNs() == 0 && sleepsNow() ? sleeps + 1 : sleeps;
  }

  private void onLook() {
    lookAlarmSet = false;
    if (asleep) {
      return;
    }
    if (endpoint.drain(settings.reapMax()) > 0) {
      worked();
    }
    setLookAlarm();
  }

  private void setLookAlarm() {
    if (!lookAlarmSet) {
      lookAlarmSet = true;
      node.context().timers().at(node.context().clock().nowNs() + settings.pollNs(), context.getSelf(), Alarm.LOOK);
    }
  }

  private void worked() {
    lastWorkNs = node.context().clock().nowNs();
    if (!idleAlarmSet) {
      setIdleAlarm(lastWorkNs + settings.idleNs());
    }
  }

  private void setIdleAlarm(long deadlineNs) {
    idleAlarmSet = true;
    node.context().timers().at(deadlineNs, context.getSelf(), Alarm.IDLE);
  }

  private void onIdle() {
    idleAlarmSet = false;
    long nowNs = node.context().clock().nowNs();
    if (isBusy() || nowNs - lastWorkNs < settings.idleNs()) {
      setIdleAlarm(isBusy() ? nowNs + settings.idleNs() : lastWorkNs + settings.idleNs());
      return;
    }
    asleep = true;
    sleeps++;
    if (settings.pollNs() > 0 && endpoint.service(settings.reapMax()) > 0) {
      asleep = false;
      setLookAlarm();
      worked();
    }
  }

  private boolean isBusy() {
    for (ClientArea client : clients) {
      if (client.outstanding() > 0) {
        return true;
      }
    }
    return core.rdmaOutstanding > 0;
  }

  private void onRequested(ConnectionRequest request) {
    Handshake.Wish wish = Handshake.Wish.decode(request.privateData());
    if (wish == null || wish.areaBytes() < 1 || wish.credits() < 1
        || !(wish.mailbox().isNone() || wish.mailbox().holds(wish.credits(), settings.messageBytes()))) {
      refuse(request, Handshake.Refusal.BAD_REQUEST);
    } else if (clients.size() >= settings.clientsMax()) {
      refuse(request, Handshake.Refusal.TOO_MANY_CLIENTS);
    } else if (wish.maxRequestBytes() > settings.maxRequestBytes()) {
      refuse(request, Handshake.Refusal.REQUEST_TOO_LONG);
    } else {
      accept(request, wish);
    }
  }

  private void refuse(ConnectionRequest request, Handshake.Refusal reason) {
    Marks.hit(PagerMark.SERVER_REFUSES_CLIENT);
    refused++;
    request.reject(new Handshake.Denial(reason, store.largestFreeBytes()).encode());
  }

  private void accept(ConnectionRequest request, Handshake.Wish wish) {
    long start = store.allocate(wish.areaBytes());
    if (start == RegionAllocator.NONE) {
      refuse(request, Handshake.Refusal.NO_MEMORY);
      return;
    }
    int inlineBytes = Math.clamp(wish.inlineBytes(), 0, settings.inlineBytes());
    MessageChannel channel;
    try {
      channel = endpoint.open(channelSettings(inlineBytes));
    } catch (VerbsException | WriteWatches.RefusedException noRoom) {
      store.free(start, wish.areaBytes());
      refuse(request, Handshake.Refusal.NO_HCA_RESOURCES);
      return;
    }
    int credits = Math.min(settings.credits(), wish.credits());
    ActorRef<Command> self = context.getSelf();
    Zeroing zeroing = new Zeroing(ended -> self.tell(new Zeroed(ended)));
    ClientArea client = new ClientArea(nextClientId++, request.peerNode(), channel, start, wish.areaBytes(),
        store.map(start, wish.areaBytes(), zeroing), zeroing, credits, inlineBytes);
    clients.add(client);
    channel.writeTo(wish.mailbox());
    MailboxAddress mailbox = channel.mailboxAddress();
    request.accept(channel.qp(), options(mailbox.isNone() ? 0 : Access.REMOTE_WRITE), new Handshake.Grant(credits, inlineBytes, mailbox).encode(),
        new Observer(context.getSelf(), client));
    channel.postReceives();
  }

  /** Lets a client go: its area is free, whatever it had outstanding is dropped. */
  private void close(ClientArea client, String why) {
    if (client.closed) {
      return;
    }
    client.closed = true;
    context.getLog().info("memory server {}: client {} from {} is gone: {}", service, client.id, client.node, why);
    clients.remove(client);
    if (client.connection != null) {
      client.connection.disconnect();
    }
    client.channel.close();
    core.forget(client);
    if (client.zeroing.isPending()) {
      leaving.add(client); // Its zeros must not come to the next one's data.
    } else {
      store.free(client.start, client.bytes);
    }
  }

  private void onZeroed(Zeroing zeroing) {
    zeroing.ended();
    for (ClientArea client : clients) {
      if (client.zeroing == zeroing) {
        core.pump(client);
        return;
      }
    }
    leaving.removeIf(client -> {
      boolean isFree = !client.zeroing.isPending();
      if (isFree) {
        store.free(client.start, client.bytes);
      }
      return isFree;
    });
  }

  private Behavior<Command> onStopped() {
    node.cm().unlisten(service);
    for (ClientArea client : List.copyOf(clients)) {
      close(client, "the server stops");
    }
    endpoint.close();
    store.close(node.hca());
    node.hca().deallocPd(pd);
    return Behaviors.same();
  }

  private MemoryServerSnapshot snapshot() {
    List<MemoryServerSnapshot.Client> views = new ArrayList<>();
    for (ClientArea client : clients) {
      views.add(new MemoryServerSnapshot.Client(client.node, client.start, client.bytes,
          (long) client.map.allocatedBlocks() * dev.weft.pager.memory.SparseMap.BLOCK_BYTES, client.ops.length,
          client.outstanding(), client.waiting.size()));
    }
    return new MemoryServerSnapshot(settings.memoryBytes(), store.freeBytes(), store.largestFreeBytes(), List.copyOf(views),
        LongStream.of(core.requests).boxed().toList(), core.bytesRead, core.bytesWritten, core.inlineWrites, core.rdmaOutstanding,
        core.rdmaOutstandingMax, core.stagingFree(), core.stagingWaiting(), refused, sleepsNow(), sleepCount(), wakeups,
        endpoint.stats().events(), endpoint.stats().writeNotices());
  }

  /** Passes on what becomes of a connection. */
  private record Observer(ActorRef<Command> server, ClientArea client) implements ConnectionObserver {
    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
      // At once and not by a message: the server may let the client go before it reads that, and has to disconnect what it holds.
      client.connection = connection;
      if (client.closed) {
        connection.disconnect();
      }
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      server.tell(new Lost(client, "connection not made: " + reason));
    }

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {
      Marks.hit(PagerMark.SERVER_TOLD_OF_LOSS);
      server.tell(new Lost(client, nodeLost ? "its node was lost" : "it disconnected"));
    }
  }
}
