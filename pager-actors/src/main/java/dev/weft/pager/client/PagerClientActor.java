package dev.weft.pager.client;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.Marks;
import dev.weft.hca.Access;
import dev.weft.hca.ProtectionDomain;
import dev.weft.hca.ReceiveContext;
import dev.weft.hca.WriteWatches;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.EndpointStats;
import dev.weft.hca.messaging.MailboxAddress;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.node.Node;
import dev.weft.pager.Errno;
import dev.weft.pager.PagerMark;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.PagerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The client's two activities of seed 001 section 4.3.3 in one actor: it sends requests as soon as the doorbell rings, and
 * reaps all replies that are there when a solicited event wakes it.
 */
public final class PagerClientActor {
  /** What a pager client can be told. */
  public sealed interface Command {}

  /** Messages without content. */
  enum Signal implements Command {
    /** Requests lie in the ring. */
    DOORBELL,
    /** Completions lie in the queue. */
    COMPLETIONS,
    /** Time to look for replies that do not come. */
    WATCH,
    /** Close the device. */
    CLOSE
  }

  /** Asks for the state of the device. */
  public record Inspect(ActorRef<PagerSnapshot> replyTo) implements Command {}

  private record Established(ServerLink link, byte[] privateData) implements Command {}

  private record Lost(ServerLink link, String why) implements Command {}

  /** Fewer looks per time-out notice a silent server later, more cost more. */
  private static final int WATCHES_PER_TIMEOUT = 4;

  private static final ConnectionOptions OPTIONS =
      ConnectionOptions.DEFAULT.withAccessFlags(Access.REMOTE_READ | Access.REMOTE_WRITE).withTimeout(18);

  private final ActorContext<Command> context;
  private final Node node;
  private final PagerSettings settings;
  private final ProtectionDomain pd;
  private final PagerDevice device;
  private final PagerClient.OpenListener listener;
  private final List<ServerLink> links = new ArrayList<>();
  private final ClientCore core;
  private final MessageEndpoint endpoint;
  private boolean told;
  private String whyNotOpened = "the client was stopped";
  private boolean watching;
  private long doorbells;

  private PagerClientActor(ActorContext<Command> context, Node node, List<ServerSpec> servers, PagerSettings settings,
      ProtectionDomain pd, PagerDevice device, PagerClient.OpenListener listener) {
    this.context = context;
    this.node = node;
    this.settings = settings;
    this.pd = pd;
    this.device = device;
    this.listener = listener;
    for (int i = 0; i < servers.size(); i++) {
      links.add(new ServerLink(i, servers.get(i)));
    }
    core = new ClientCore(settings, device, links, node.context().clock(), this::fail);
    ActorRef<Command> self = context.getSelf();
    int cqEntries = servers.size() * channelSettings().cqEntries();
    Runnable wake = () -> self.tell(Signal.COMPLETIONS);
    WriteWatches watches = settings.notification().watchesOf(node.hca());
    endpoint = watches == null ? new MessageEndpoint(node.hca(), pd, cqEntries, ReceiveContext.ISR, true, core, wake)
        : new MessageEndpoint(node.hca(), pd, cqEntries, ReceiveContext.ISR, watches, core, wake);
    device.started(self);
  }

  private ChannelSettings channelSettings() {
    return new ChannelSettings(settings.messageBytes(), settings.messageBytes(), Math.max(4, 2 * settings.credits()), settings.credits(), 0,
        settings.inlineWriteBytes() > 0);
  }

  static Behavior<Command> create(Node node, List<ServerSpec> servers, PagerSettings settings, ProtectionDomain pd,
      PagerDevice device, PagerClient.OpenListener listener) {
    return Behaviors.setup(context -> {
      PagerClientActor actor = null;
      try {
        actor = new PagerClientActor(context, node, servers, settings, pd, device, listener);
        actor.connectAll();
      } catch (RuntimeException | OutOfMemoryError e) {
        // Thrown on, it would end this actor without a word to the one who waits.
        String reason = "the memory servers cannot be asked: " + e.getMessage();
        if (actor != null) {
          actor.whyNotOpened = reason;
          actor.onStopped();
        } else {
          releaseMemory(node, pd, device);
          listener.onFailed(reason);
        }
        return Behaviors.stopped();
      }
      PagerClientActor started = actor;
      return Behaviors.receive(Command.class)
          .onAnyMessage(started::onMessage)
          .onSignal(PostStop.class, stopped -> started.onStopped())
          .build();
    });
  }

  private void connectAll() {
    endpoint.arm();
    for (ServerLink link : links) {
      link.channel = endpoint.open(channelSettings());
      link.channel.attach(link);
      byte[] wish = new Handshake.Wish(link.spec.areaBytes(), settings.credits(), settings.maxRequestBytes(), settings.inlineWriteBytes(),
          link.channel.mailboxAddress()).encode();
      node.cm().connect(link.spec.node(), link.spec.service(), link.channel.qp(), OPTIONS, wish,
          new Observer(context.getSelf(), link));
      link.channel.postReceives();
    }
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case Signal signal -> {
        return onSignal(signal);
      }
      case Established established -> {
        return onEstablished(established);
      }
      case Lost lost -> {
        return onLost(lost.link(), lost.why());
      }
      case Inspect inspect -> inspect.replyTo().tell(snapshot());
    }
    return Behaviors.same();
  }

  private Behavior<Command> onSignal(Signal signal) {
    switch (signal) {
      case DOORBELL -> onDoorbell();
      case COMPLETIONS -> endpoint.service(settings.reapMax());
      case WATCH -> onWatch();
      case CLOSE -> {
        return Behaviors.stopped();
      }
    }
    return Behaviors.same();
  }

  private void onDoorbell() {
    doorbells++;
    int budget = settings.reapMax();
    do {
      DeviceRequest request;
      while ((request = device.poll()) != null) {
        core.begin(request);
        if (--budget == 0) {
          context.getSelf().tell(Signal.DOORBELL);
          watch();
          return;
        }
      }
    } while (!device.actorMaySleep());
    watch();
  }

  private void watch() {
    if (!watching && core.hasOutstanding()) {
      watching = true;
      long nowNs = node.context().clock().nowNs();
      node.context().timers().at(nowNs + settings.requestTimeoutNs() / WATCHES_PER_TIMEOUT, context.getSelf(), Signal.WATCH);
    }
  }

  private void onWatch() {
    watching = false;
    long limitNs = node.context().clock().nowNs() - settings.requestTimeoutNs();
    for (ServerLink link : links) {
      if (link.isUp && link.hasOlderThan(limitNs)) {
        Marks.hit(PagerMark.CLIENT_REPLY_TIMEOUT);
        fail(link, "no reply within " + settings.requestTimeoutNs() / 1_000_000 + " ms");
      }
    }
    watch();
  }

  private Behavior<Command> onEstablished(Established established) {
    ServerLink link = established.link();
    Handshake.Grant grant = Handshake.Grant.decode(established.privateData());
    if (link.isDead) {
      return Behaviors.same();
    }
    if (grant == null || grant.credits() < 1) {
      return onLost(link, "it answered without a grant of credits");
    }
    MailboxAddress mailbox = grant.mailbox();
    if (!mailbox.isNone() && !mailbox.holds(grant.credits(), settings.messageBytes())) {
      return onLost(link, "it has no room for as many requests as it grants");
    }
    link.channel.writeTo(mailbox);
    int longest = (int) Math.min(settings.inlineWriteBytes(), node.hca().messageMaxBytes() - PagerRequest.BYTES);
    link.inlineBytes = mailbox.isNone() ? Math.min(grant.inlineBytes(), longest) : 0;
    link.granted(Math.min(grant.credits(), settings.credits()));
    if (!told && links.stream().allMatch(one -> one.isUp)) {
      told = true;
      listener.onOpen(device);
    }
    return Behaviors.same();
  }

  private Behavior<Command> onLost(ServerLink link, String why) {
    fail(link, why);
    if (told) {
      Marks.hit(PagerMark.CLIENT_TOLD_OF_LOSS);
      return Behaviors.same();
    }
    told = true;
    Marks.hit(PagerMark.CLIENT_OPEN_FAILED);
    listener.onFailed("memory server " + link.spec.service() + " of node " + link.spec.node() + ": " + why);
    return Behaviors.stopped();
  }

  /** A server is lost. Its queue pair is destroyed before requests end, so that nothing reaches their buffers any more. */
  private void fail(ServerLink link, String why) {
    if (link.isDead) {
      return;
    }
    link.isDead = true;
    link.isUp = false;
    link.why = why;
    if (link.holdsData) {
      device.lost(); // Before requests end: a flush among them tells of it.
    }
    context.getLog().warn("memory server {} of node {} is lost: {}", link.spec.service(), link.spec.node(), why);
    release(link);
    core.failAll(link, Errno.EIO);
  }

  private static void release(ServerLink link) {
    if (link.connection != null) {
      link.connection.disconnect();
    }
    if (link.channel != null) {
      link.channel.close();
    }
  }

  private Behavior<Command> onStopped() {
    if (core.hasOutstanding()) {
      Marks.hit(PagerMark.CLIENT_CLOSED_BUSY);
    }
    for (ServerLink link : links) {
      link.isDead = true;
      link.isUp = false;
      release(link);
    }
    for (ServerLink link : links) {
      core.failAll(link, Errno.ESHUTDOWN);
    }
    device.markClosed();
    endpoint.close();
    releaseMemory(node, pd, device);
    if (!told) {
      told = true;
      listener.onFailed(whyNotOpened);
    }
    return Behaviors.same();
  }

  private static void releaseMemory(Node node, ProtectionDomain pd, PagerDevice device) {
    node.hca().deregMr(device.poolMr());
    node.hca().deallocPd(pd);
  }

  private PagerSnapshot snapshot() {
    List<PagerSnapshot.Server> servers = new ArrayList<>();
    for (ServerLink link : links) {
      servers.add(new PagerSnapshot.Server(link.spec.node(), link.spec.service(), device.areas().start(link.index),
          link.spec.areaBytes(), link.isUp, link.why, link.creditsFree(), link.creditsMax(), link.outstandingCount(),
          link.waiting.size()));
    }
    EndpointStats stats = endpoint.stats();
    return new PagerSnapshot(device.sizeBytes(), device.pool().snapshot(), List.copyOf(servers), device.inFlight(),
        LongStream.of(core.requests).boxed().toList(), core.bytesRead, core.bytesWritten, core.errors, doorbells,
        stats.notifications(), stats.burstMax(), stats.events(), stats.writeNotices());
  }

  /** Passes on what becomes of a connection. */
  private record Observer(ActorRef<Command> client, ServerLink link) implements ConnectionObserver {
    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
      // At once and not by the message: the client may stop before it reads that, and has to disconnect what it holds.
      link.connection = connection;
      if (link.isDead) {
        connection.disconnect();
      } else {
        client.tell(new Established(link, privateData));
      }
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      Handshake.Denial denial = reason == RejectReason.CONSUMER ? Handshake.Denial.decode(privateData) : null;
      client.tell(new Lost(link, denial == null ? "connection refused: " + reason
          : "refused: " + denial.reason() + ", it could lend " + denial.freeBytes() + " bytes"));
    }

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {
      client.tell(new Lost(link, nodeLost ? "its node was lost" : "it disconnected"));
    }
  }
}
