package dev.weft.pager.server;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.time.Marks;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MailboxAddress;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WriteWatches;
import dev.weft.pager.PagerMark;
import dev.weft.pager.memory.RegionAllocator;
import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.PagerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A memory server. It accepts clients and lends each one an area. It is idle after {@code idle-time} without work. It services its completion queue on
 * each event. With a {@code poll-interval}, it polls the queue at that interval until it is idle; then it arms the queue and sleeps until an event wakes
 * it.
 */
public final class MemoryServerActor {
  /** The messages of a memory server. */
  public sealed interface Command {}

  /** Requests the state of the server. */
  public record Inspect(ActorRef<MemoryServerSnapshot> replyTo) implements Command {}

  /** Stops the server. */
  public enum Stop implements Command {
    INSTANCE
  }

  private record Requested(ConnectionRequest request) implements Command {}

  /** An event of the connection manager about the connection of a {@link ClientArea}. */
  private record Connected(ConnectionEvent event) implements Command {}

  private record NodeLost(String node) implements Command {}

  private record Copied(ServerOp op) implements Command {}

  private record Zeroed(Zeroing zeroing) implements Command {}

  private enum Alarm implements Command {
    COMPLETIONS,
    LOOK,
    IDLE,
    KEPT
  }

  /** The same options as the client's: 17.2 s without a response end the connection. The connection manager reports earlier if a node has left. */
  private static ConnectionOptions options(int accessFlags) {
    return ConnectionOptions.DEFAULT.withAccessFlags(accessFlags);
  }

  private final ActorContext<Command> context;
  private final Node node;
  private final String service;
  private final ServerSettings settings;
  private final ProtectionDomain pd;
  private final PagerStore store;
  private final ServerCore core;
  private final MessageEndpoint endpoint;
  private final ActorRef<ConnectionEvent> connectionEvents;
  /** The connected clients. */
  private final List<ClientArea> clients = new ArrayList<>();
  private final LentAreas areas;
  /** Released areas whose zeroing has not ended. */
  private final List<LentArea> leaving = new ArrayList<>();
  private Directory.Subscription losses;
  private long refused;
  private boolean asleep = true;
  private long sleeps;
  private long wakeups;
  /** Without polling, where the server does not sleep: how often it had been idle when an event woke it. */
  private long idlePhases;
  private long lastWorkNs;
  private boolean hasWorked;
  private boolean idleAlarmSet;
  private boolean lookAlarmSet;

  private MemoryServerActor(ActorContext<Command> context, Node node, String service, ServerSettings settings,
      ProtectionDomain pd, PagerStore store, CopyCharge charge) {
    this.context = context;
    this.node = node;
    this.service = service;
    this.settings = settings;
    this.pd = pd;
    this.store = store;
    ActorRef<Command> self = context.getSelf();
    this.connectionEvents = context.messageAdapter(ConnectionEvent.class, Connected::new);
    this.areas = new LentAreas(node.context().random().nextLong());
    this.core = new ServerCore(settings, store, this::giveUp, this::detach, charge,
        (op, atNs) -> node.context().timers().at(atNs, self, new Copied(op)));
    int cqEntries = settings.clientsMax() * channelSettings(0).cqEntries();
    WriteWatches watches = settings.notification().watchesOf(node.hca());
    this.endpoint = new MessageEndpoint(node.hca(), pd, cqEntries, self, Alarm.COMPLETIONS, false, watches, core);
  }

  static Behavior<Command> create(Node node, String service, ServerSettings settings, ProtectionDomain pd, PagerStore store,
      CopyCharge charge) {
    return Behaviors.setup(context -> {
      MemoryServerActor actor;
      try {
        actor = new MemoryServerActor(context, node, service, settings, pd, store, charge);
        actor.listen();
      } catch (RuntimeException refused) {
        store.close(node.hca());
        node.hca().deallocPd(pd);
        throw refused;
      }
      return Behaviors.receive(Command.class)
          .onAnyMessage(actor::onMessage)
          .onSignal(PostStop.class, stopped -> actor.onStopped())
          .build();
    });
  }

  private void listen() {
    try {
      endpoint.arm();
      node.cm().listen(service, context.messageAdapter(ConnectionRequest.class, Requested::new));
    } catch (RuntimeException refused) {
      endpoint.close();
      throw refused;
    }
    ActorRef<Command> self = context.getSelf();
    losses = node.cm().onNodeLost(lost -> self.tell(new NodeLost(lost)));
  }

  private ChannelSettings channelSettings(int inlineBytes) {
    return new ChannelSettings(settings.messageBytes(), Math.max(settings.messageBytes(), PagerRequest.BYTES + inlineBytes),
        Math.max(4, 2 * settings.credits()), settings.credits(), 2 * settings.credits(), false);
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case Alarm alarm -> onAlarm(alarm);
      case Requested requested -> onRequested(requested.request());
      case Connected connected -> onConnectionEvent(connected.event());
      case NodeLost lost -> areas.leftBy(lost.node()).forEach(area -> free(area, "its node was lost"));
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
      case KEPT -> onKept();
    }
  }

  private void onCompletions() {
    if (settings.pollNs() == 0) {
      // Events always wake it, so it need not arm anything before it is idle. Whether it was idle follows from the time.
      if (isIdle()) {
        idlePhases++;
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

  private boolean isIdle() {
    return settings.pollNs() > 0 ? asleep
        : hasWorked && !isBusy() && node.context().clock().nowNs() - lastWorkNs >= settings.idleNs();
  }

  /** How often the server became idle, including the current idle phase. */
  private long idleCount() {
    return settings.pollNs() > 0 ? sleeps : isIdle() ? idlePhases + 1 : idlePhases;
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
      return;
    }
    switch (wish.purpose()) {
      case NEW -> onNew(request, wish);
      case RESUME -> onResume(request, wish);
      case RELEASE -> onRelease(request, wish);
    }
  }

  private void refuse(ConnectionRequest request, Handshake.Refusal reason) {
    Marks.hit(PagerMark.SERVER_REFUSES_CLIENT);
    refused++;
    request.reject(new Handshake.Denial(reason, store.largestFreeBytes()).encode());
  }

  private void onNew(ConnectionRequest request, Handshake.Wish wish) {
    if (areas.size() >= settings.clientsMax()) {
      refuse(request, Handshake.Refusal.TOO_MANY_CLIENTS);
      return;
    }
    if (wish.maxRequestBytes() > settings.maxRequestBytes()) {
      refuse(request, Handshake.Refusal.REQUEST_TOO_LONG);
      return;
    }
    long start = store.allocate(wish.areaBytes());
    if (start == RegionAllocator.NONE) {
      refuse(request, Handshake.Refusal.NO_MEMORY);
      return;
    }
    ActorRef<Command> self = context.getSelf();
    Zeroing zeroing = new Zeroing(ended -> self.tell(new Zeroed(ended)));
    LentArea area = new LentArea(areas.newName(), request.peerNode(), start, wish.areaBytes(),
        store.map(start, wish.areaBytes(), zeroing), zeroing);
    if (connect(request, wish, area, false)) {
      areas.add(area);
    } else {
      store.free(start, wish.areaBytes());
      refuse(request, Handshake.Refusal.NO_HCA_RESOURCES);
    }
  }

  /**
   * Reconnects a client that has lost its connection to its area. Transfers still in flight on the old connection become void, because its
   * queue pair is destroyed before the new one can be used.
   */
  private void onResume(ConnectionRequest request, Handshake.Wish wish) {
    LentArea area = areas.find(request.peerNode(), wish);
    if (area == null) {
      refuse(request, Handshake.Refusal.UNKNOWN_AREA);
      return;
    }
    if (area.client != null) {
      Marks.hit(PagerMark.SERVER_FENCES_CONNECTION);
      fence(area.client);
    }
    endpoint.drain(Integer.MAX_VALUE); // Removes completions of the old queue pair, because the new one needs their room.
    if (connect(request, wish, area, true)) {
      Marks.hit(PagerMark.SERVER_RESUMES_AREA);
    } else {
      keep(area);
      refuse(request, Handshake.Refusal.NO_HCA_RESOURCES);
    }
  }

  private void fence(ClientArea client) {
    end(client, "its client connects again");
  }

  private void onRelease(ConnectionRequest request, Handshake.Wish wish) {
    LentArea area = areas.find(request.peerNode(), wish);
    if (area != null) {
      free(area, "its client has given it back");
    }
    request.reject(new Handshake.Denial(Handshake.Refusal.RELEASED, store.largestFreeBytes()).encode());
  }

  /** Accepts a connection; returns false if the HCA has no room for a channel or was closed. */
  private boolean connect(ConnectionRequest request, Handshake.Wish wish, LentArea area, boolean isResumed) {
    int inlineBytes = Math.clamp(wish.inlineBytes(), 0, settings.inlineBytes());
    QueuePairChannel channel;
    try {
      channel = endpoint.open(channelSettings(inlineBytes));
    } catch (VerbsException | WriteWatches.RefusedException noRoom) {
      return false;
    }
    int credits = Math.min(settings.credits(), wish.credits());
    ClientArea client = new ClientArea(area, channel, credits, inlineBytes, isResumed);
    area.client = client;
    area.last = client;
    clients.add(client);
    channel.writeTo(wish.mailbox());
    MailboxAddress mailbox = channel.mailboxAddress();
    try {
      request.accept(channel.qp(), options(mailbox.isNone() ? 0 : Access.REMOTE_WRITE),
          new Handshake.Grant(credits, inlineBytes, area.name, mailbox).encode(), connectionEvents, client);
      channel.postReceives();
      return true;
    } catch (VerbsException closed) {
      end(client, closed.getMessage());
      return false;
    }
  }

  /** Ends a connection: destroys its queue pair and drops its outstanding requests. The area stays. */
  private void end(ClientArea client, String why) {
    client.closed = true;
    client.area.client = null;
    context.getLog().info("memory server {}: the connection of area {} to {} ends: {}", service, client.area.name.number(),
        client.area.node, why);
    clients.remove(client);
    if (client.connection != null) {
      client.connection.disconnect();
    }
    client.channel.close();
    core.forget(client);
  }

  /** Handles a lost connection of a client that may still run: keeps its area for it. */
  private void detach(ClientArea client, String why) {
    if (client.area.isOrphan) {
      giveUp(client, why);
    } else if (!client.closed) {
      end(client, why);
      keep(client.area);
    }
  }

  private void keep(LentArea area) {
    long nowNs = node.context().clock().nowNs();
    area.keptUntilNs = nowNs + settings.keepNs();
    node.context().timers().at(area.keptUntilNs, context.getSelf(), Alarm.KEPT);
  }

  private void onKept() {
    long nowNs = node.context().clock().nowNs();
    areas.overdue(nowNs).forEach(area -> free(area, "its client has not come back"));
  }

  /** Handles a client that will not come back: frees its area. Its connection may have failed earlier. */
  private void giveUp(ClientArea client, String why) {
    LentArea area = client.area;
    if (area.last == client && areas.contains(area)) {
      free(area, why);
    }
  }

  private void free(LentArea area, String why) {
    context.getLog().info("memory server {}: area {} of {} is given up: {}", service, area.name.number(), area.node, why);
    if (area.client != null) {
      end(area.client, why);
    }
    areas.remove(area);
    if (area.zeroing.isPending()) {
      leaving.add(area); // Its zeros must not overwrite the data of the next client.
    } else {
      store.free(area.start, area.bytes);
    }
  }

  private void onConnectionEvent(ConnectionEvent event) {
    ClientArea client = (ClientArea) event.context();
    switch (event) {
      case ConnectionEvent.Established established -> onEstablished(client, established.connection());
      case ConnectionEvent.Rejected rejected -> onNotMade(client, "connection not made: " + rejected.reason());
      case ConnectionEvent.Disconnected gone -> {
        Marks.hit(PagerMark.SERVER_TOLD_OF_LOSS);
        giveUp(client, gone.nodeLost() ? "its node was lost" : "it disconnected");
      }
    }
  }

  private void onEstablished(ClientArea client, Connection connection) {
    client.connection = connection;
    client.mayReturn = true;
    if (client.closed) {
      connection.disconnect(); // The connection was ended in the meantime.
    }
  }

  private void onNotMade(ClientArea client, String why) {
    if (client.mayReturn) {
      detach(client, why);
    } else {
      giveUp(client, why);
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
    leaving.removeIf(area -> {
      boolean isFree = !area.zeroing.isPending();
      if (isFree) {
        store.free(area.start, area.bytes);
      }
      return isFree;
    });
  }

  private Behavior<Command> onStopped() {
    node.cm().unlisten(service);
    losses.cancel();
    areas.all().forEach(area -> free(area, "the server stops"));
    endpoint.close();
    store.close(node.hca());
    node.hca().deallocPd(pd);
    return Behaviors.same();
  }

  private MemoryServerSnapshot snapshot() {
    List<MemoryServerSnapshot.Client> views = new ArrayList<>();
    for (ClientArea client : clients) {
      views.add(new MemoryServerSnapshot.Client(client.area.node, client.start, client.bytes,
          (long) client.map.allocatedBlocks() * dev.weft.pager.memory.SparseMap.BLOCK_BYTES, client.ops.length,
          client.outstanding(), client.waiting.size()));
    }
    return new MemoryServerSnapshot(settings.memoryBytes(), store.freeBytes(), store.largestFreeBytes(), List.copyOf(views),
        LongStream.of(core.requests).boxed().toList(), core.bytesRead, core.bytesWritten, core.inlineWrites, core.rdmaOutstanding,
        core.rdmaOutstandingMax, core.stagingFree(), core.stagingWaiting(), refused, isIdle(), idleCount(), sleeps, wakeups,
        endpoint.stats().events(), endpoint.stats().writeNotices(), areas.size() - clients.size());
  }
}
