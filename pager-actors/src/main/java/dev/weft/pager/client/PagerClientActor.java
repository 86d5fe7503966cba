package dev.weft.pager.client;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.Marks;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.link.Connector;
import dev.weft.hca.link.Link;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.EndpointStats;
import dev.weft.hca.messaging.MailboxAddress;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WriteWatches;
import dev.weft.pager.Errno;
import dev.weft.pager.PagerMark;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.Handshake.Purpose;
import dev.weft.pager.wire.PagerRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * The client's two activities of HPBD section 4.3.3 in one actor: it sends requests as soon as the doorbell rings, and
 * when a solicited event wakes it, it reaps all replies that have arrived.
 */
public final class PagerClientActor {
  /** The messages of a pager client. */
  public sealed interface Command {}

  /** Messages without content. */
  enum Signal implements Command {
    /** Requests are in the ring. */
    DOORBELL,
    /** Completions are in the queue. */
    COMPLETIONS,
    /** It is time to check for overdue replies. */
    WATCH,
    /** Closes the device. */
    CLOSE
  }

  /** Requests the state of the device. */
  public record Inspect(ActorRef<PagerSnapshot> replyTo) implements Command {}

  /** Replaces a lost area by the memory of a server. */
  record Replace(int area, ServerSpec server, PagerDevice.ReplaceListener listener) implements Command {}

  /** Breaks a connection. */
  record Drop(int area) implements Command {}

  /** An event of the connection manager about an attempt to connect. */
  private record Connected(ConnectionEvent event) implements Command {}

  /** It is time for another attempt. */
  private record Again(Link.Attempt attempt) implements Command {}

  /** The wait of requests for a reconnection has timed out. */
  private record Waited(ServerLink link, int losses) implements Command {}

  /** The number of checks per request timeout. With fewer checks a silent server is detected later; more checks cost more. */
  private static final int WATCHES_PER_TIMEOUT = 4;

  private static final ConnectionOptions OPTIONS =
      ConnectionOptions.DEFAULT.withAccessFlags(Access.REMOTE_READ | Access.REMOTE_WRITE);

  private final ActorContext<Command> context;
  private final Node node;
  private final PagerSettings settings;
  private final ProtectionDomain pd;
  private final PagerDevice device;
  private final PagerClient.OpenListener listener;
  private final List<ServerLink> links = new ArrayList<>();
  private final ClientCore core;
  private final MessageEndpoint endpoint;
  private final ActorRef<ConnectionEvent> connectionEvents;
  /** The pending replacements of lost servers, by area. */
  private final Map<Integer, Replacement> replacements = new HashMap<>();
  private final Connector<ServerLink> connector = new Connector<>(ServerLink.class, new Connections());
  private boolean told;
  /** A server has refused the client before the device was open. */
  private boolean isRefused;
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
    core = new ClientCore(settings, device, links, node.context().clock(), (link, why) -> fail(link, why, true),
        (link, why) -> fail(link, why, false), this::onProbed);
    ActorRef<Command> self = context.getSelf();
    int cqEntries = 2 * servers.size() * channelSettings().cqEntries(); // Twice, because a server may be replaced while the client tries to reconnect to it.
    WriteWatches watches = settings.notification().watchesOf(node.hca());
    endpoint = new MessageEndpoint(node.hca(), pd, cqEntries, self, Signal.COMPLETIONS, true, watches, core);
    connectionEvents = context.messageAdapter(ConnectionEvent.class, Connected::new);
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
        // If rethrown, it would end this actor without calling the listener.
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
    links.forEach(connector::connect);
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case Signal signal -> {
        return onSignal(signal);
      }
      case Connected connected -> {
        connector.onEvent(connected.event());
        return isRefused ? Behaviors.stopped() : Behaviors.same();
      }
      case Again again -> onAgain(again);
      case Waited waited -> onWaited(waited);
      case Replace replace -> onReplace(replace);
      case Drop drop -> {
        if (links.get(drop.area()).isUp()) {
          fail(links.get(drop.area()), "it was dropped", false);
        }
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
      if (link.hasOlderThan(limitNs)) {
        Marks.hit(PagerMark.CLIENT_REPLY_TIMEOUT);
        fail(link, "no reply within " + settings.requestTimeoutNs() / 1_000_000 + " ms", false);
      }
    }
    watch();
  }

  private final class Connections implements Connector.Client<ServerLink> {
    /** Requests a new area, or the area that the link already names. */
    @Override
    public MessageChannel dial(ServerLink link, Link.Attempt attempt) {
      QueuePairChannel channel = endpoint.open(channelSettings());
      try {
        Purpose purpose = link.area.isNone() ? Purpose.NEW : Purpose.RESUME;
        byte[] wish = new Handshake.Wish(purpose, link.area, link.spec.areaBytes(), settings.credits(), settings.maxRequestBytes(),
            settings.inlineWriteBytes(), channel.mailboxAddress()).encode();
        node.cm().connect(link.spec.node(), link.spec.service(), channel.qp(), OPTIONS, wish, connectionEvents, attempt);
        channel.postReceives();
        return channel;
      } catch (RuntimeException | OutOfMemoryError refused) {
        channel.close();
        throw refused;
      }
    }

    @Override
    public void onEstablished(ServerLink link, byte[] answer) {
      Handshake.Grant grant = Handshake.Grant.decode(answer);
      String wrong = link.wrongWith(grant, settings.messageBytes());
      if (wrong != null) {
        onEnd(link, wrong, true);
        return;
      }
      boolean isNew = link.area.isNone();
      link.area = grant.area();
      MailboxAddress mailbox = grant.mailbox();
      link.messages().writeTo(mailbox);
      int longest = (int) Math.min(settings.inlineWriteBytes(), node.hca().messageMaxBytes() - PagerRequest.BYTES);
      link.inlineBytes = mailbox.isNone() ? Math.min(grant.inlineBytes(), longest) : 0;
      link.granted(Math.min(grant.credits(), settings.credits()));
      if (isNew) {
        onNewArea(link);
      } else {
        core.probe(link);
        watch();
      }
    }

    @Override
    public void onEnded(ServerLink link, ConnectionEvent event) {
      onEnd(link, ServerLink.why(event), ServerLink.isGone(event));
    }

    /** An earlier connection tells only that the server does not hold the area any more, or that a replacement has failed. */
    @Override
    public void onEndedEarlier(ServerLink link, ConnectionEvent event) {
      if (ServerLink.isGone(event) || isReplacement(link)) {
        onEnd(link, ServerLink.why(event), ServerLink.isGone(event));
      }
    }

    @Override
    public long onLost(ServerLink link, String why, boolean wasUp) {
      if (link.isGone) {
        context.getLog().warn("the area of memory server {} of node {} is gone: {}", link.spec.service(), link.spec.node(), why);
      }
      link.losses += wasUp ? 1 : 0;
      core.takeBack(link);
      if (link.isGone || settings.reconnectWaitNs() == 0) {
        lose(link);
      } else if (wasUp) {
        context.getLog().warn("the connection to memory server {} of node {} is lost: {}; connecting again", link.spec.service(),
            link.spec.node(), why);
        at(settings.reconnectWaitNs(), new Waited(link, link.losses));
      }
      return link.isGone ? Connector.NEVER : wasUp ? 0 : settings.reconnectIntervalNs();
    }

    @Override
    public void later(long delayNs, Link.Attempt attempt) {
      at(delayNs, new Again(attempt));
    }
  }

  private void onNewArea(ServerLink link) {
    link.up();
    link.isDead = false;
    if (isReplacement(link)) {
      Replacement replacement = replacements.remove(link.index);
      ServerLink old = links.set(link.index, link);
      abandon(old);
      context.getLog().warn("memory server {} of node {} replaces {} of node {}: bytes {} to {} of the device are zeros now",
          link.spec.service(), link.spec.node(), old.spec.service(), old.spec.node(), device.areas().start(link.index),
          device.areas().end(link.index) - 1);
      publish();
      replacement.listener().onReplaced(device.areas().start(link.index), link.spec.areaBytes());
    } else {
      publish();
      if (!told && links.stream().allMatch(ServerLink::isUp)) {
        told = true;
        listener.onOpen(device);
      }
    }
  }

  private boolean isReplacement(ServerLink link) {
    Replacement replacement = replacements.get(link.index);
    return replacement != null && replacement.link() == link;
  }

  /** @param isGone whether the server is known not to hold the area any more */
  private void onEnd(ServerLink link, String why, boolean isGone) {
    if (isReplacement(link)) {
      Replacement replacement = replacements.remove(link.index);
      abandon(link);
      replacement.listener().onFailed("memory server " + link.spec.service() + " of node " + link.spec.node() + ": " + why);
      return;
    }
    fail(link, why, isGone || !told);
    if (told) {
      Marks.hit(PagerMark.CLIENT_TOLD_OF_LOSS);
      return;
    }
    told = true;
    isRefused = true;
    Marks.hit(PagerMark.CLIENT_OPEN_FAILED);
    listener.onFailed("memory server " + link.spec.service() + " of node " + link.spec.node() + ": " + why);
  }

  /**
   * Handles a failed or lost connection to a server.
   *
   * @param isGone whether the server is known not to hold the area any more; otherwise it is not told, so that it keeps the area
   */
  private void fail(ServerLink link, String why, boolean isGone) {
    if (!link.isGone) {
      link.isGone = isGone;
      connector.lose(link, why, isGone);
      publish();
    }
  }

  private void at(long delayNs, Command command) {
    if (delayNs == 0) {
      context.getSelf().tell(command);
    } else {
      node.context().timers().at(node.context().clock().nowNs() + delayNs, context.getSelf(), command);
    }
  }

  /** Marks the area as lost: requests fail with EIO from now on. */
  private void lose(ServerLink link) {
    if (!link.isDead) {
      link.isDead = true;
      if (link.holdsData) {
        device.lost(); // Before requests fail, so that a flush among them reports the loss.
      }
      context.getLog().warn("the area of memory server {} of node {} is lost: {}", link.spec.service(), link.spec.node(), link.why());
    }
    core.failAll(link, Errno.EIO);
  }

  private void onWaited(Waited waited) {
    ServerLink link = waited.link();
    if (links.get(link.index) == link && !link.isUp() && link.losses == waited.losses()) {
      lose(link);
      publish();
    }
  }

  private void onAgain(Again again) {
    if (!again.attempt().isCurrent()) {
      return;
    }
    ServerLink link = connector.linkOf(again.attempt());
    endpoint.service(settings.reapMax()); // Removes completions of the old queue pair, because the new one needs their room.
    try {
      connector.connect(link);
    } catch (VerbsException | WriteWatches.RefusedException noRoom) {
      fail(link, "connecting again: " + noRoom.getMessage(), false);
    }
  }

  /** Handles the reply to the probe of a new connection. */
  private void onProbed(ServerLink link, int errno) {
    if (errno != Errno.OK) {
      fail(link, "it answered the first request of a new connection with error " + errno, true);
      return;
    }
    Marks.hit(PagerMark.CLIENT_AREA_RETURNS);
    link.up();
    link.isDead = false;
    context.getLog().info("the area of memory server {} of node {} is back, with all that was acknowledged", link.spec.service(),
        link.spec.node());
    publish();
    core.pump(link);
    watch();
  }

  private void onReplace(Replace replace) {
    ServerLink old = links.get(replace.area());
    String refusal = old.state() != AreaState.LOST ? "its area is " + old.state().name().toLowerCase(Locale.ROOT) + ", only a lost one is replaced"
        : replacements.containsKey(old.index) ? "its area is being replaced already"
        : replace.server().areaBytes() != old.spec.areaBytes() ? "its area has " + old.spec.areaBytes() + " bytes, not " + replace.server().areaBytes()
        : null;
    if (refusal != null) {
      replace.listener().onFailed("memory server " + old.spec.service() + " of node " + old.spec.node() + ": " + refusal);
      return;
    }
    ServerLink link = new ServerLink(old.index, replace.server());
    link.isDead = true;
    try {
      connector.connect(link);
      replacements.put(link.index, new Replacement(link, replace.listener()));
    } catch (VerbsException | WriteWatches.RefusedException noRoom) {
      replace.listener().onFailed("memory server " + link.spec.service() + " of node " + link.spec.node() + ": " + noRoom.getMessage());
    }
  }

  /**
   * Abandons the area of this link. Notifies its server in two ways: it ends the connection, and it releases the area by name, because the server may
   * have lost the connection earlier and keep the area.
   */
  private void abandon(ServerLink link) {
    boolean mayHoldArea = !link.area.isNone() && !link.isGone;
    link.isGone = true;
    link.isDead = true;
    link.stop();
    if (mayHoldArea) {
      AreaRelease.send(node, link.spec, link.area, OPTIONS);
    }
  }

  private void publish() {
    device.publish(links.stream().map(link -> link.status(device.areas().start(link.index))).toList());
  }

  private Behavior<Command> onStopped() {
    if (core.hasOutstanding()) {
      Marks.hit(PagerMark.CLIENT_CLOSED_BUSY);
    }
    links.forEach(this::abandon);
    replacements.values().forEach(replacement -> {
      abandon(replacement.link());
      replacement.listener().onFailed("the device is closed");
    });
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
    List<PagerSnapshot.Server> servers = links.stream().map(link -> link.snapshot(device.areas().start(link.index))).toList();
    EndpointStats stats = endpoint.stats();
    return new PagerSnapshot(device.sizeBytes(), device.pool().snapshot(), servers, device.inFlight(),
        LongStream.of(core.requests).boxed().toList(), core.bytesRead, core.bytesWritten, core.errors, doorbells,
        stats.notifications(), stats.burstMax(), stats.events(), stats.writeNotices());
  }

  private record Replacement(ServerLink link, PagerDevice.ReplaceListener listener) {}
}
