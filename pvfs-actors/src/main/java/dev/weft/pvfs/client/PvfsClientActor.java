package dev.weft.pvfs.client;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.link.Connector;
import dev.weft.hca.link.Dialer;
import dev.weft.hca.link.FabricDialer;
import dev.weft.hca.link.Link;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Hello;
import dev.weft.pvfs.wire.NoEntry;
import java.util.ArrayList;
import java.util.List;

/** The actor of a client of the I/O daemons: sends submitted tasks, takes answers, and reconnects lost connections. */
public final class PvfsClientActor {
  /** Messages to this actor. */
  public sealed interface Command {}

  /** Asks for its state. */
  public record Inspect(ActorRef<ClientSnapshot> replyTo) implements Command {}

  /** Breaks a connection. */
  record Drop(int daemon) implements Command {}

  /** The manager has changed a file for this client. */
  record Changed(long file, Striping striping) implements Command {}

  enum Signal implements Command {
    /** Tasks were submitted. */
    DOORBELL,
    COMPLETIONS,
    /** Check for tasks that have waited too long. */
    WATCH,
    CLOSE
  }

  private record Connected(ConnectionEvent event) implements Command {}

  private record Again(Link.Attempt attempt) implements Command {}

  /** The manager has answered about the capability of a refused request. */
  private record Renewed(DaemonTask part) implements Command {}

  private static final int REAP_MAX = 256;
  /** RDMA requests of one connection in band {@code client}. */
  private static final int DIRECT_MAX = 64;
  private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT.withAccessFlags(Access.REMOTE_READ | Access.REMOTE_WRITE);

  private final ActorContext<Command> context;
  private final Node node;
  private final ClientSettings settings;
  private final ClientParts parts;
  private final List<DaemonLink> links = new ArrayList<>();
  private final Connector<DaemonLink> connector = new Connector<>(DaemonLink.class, new Connections());
  private final UserMemory userMemory;
  private final ClientCore core;
  private final Dialer dialer;
  private final ActorRef<ConnectionEvent> connectionEvents;
  /** Identifies this client to daemons across all its connections. */
  private final long instance;
  private boolean watching;
  private long watchNs;

  private PvfsClientActor(ActorContext<Command> context, ClientParts parts) {
    this.context = context;
    this.node = parts.node();
    this.settings = parts.settings();
    this.parts = parts;
    this.instance = node.context().random().nextLong();
    this.connectionEvents = context.messageAdapter(ConnectionEvent.class, Connected::new);
    for (int i = 0; i < parts.daemons().size(); i++) {
      links.add(new DaemonLink(parts.daemons().get(i), parts.fast(i), slotBytes(settings),
          settings.tuning() == null ? null : new BandTuner(settings.tuning()), nowNs()));
    }
    this.userMemory = new UserMemory(parts.strategy());
    this.core = new ClientCore(settings, links, userMemory, this::nowNs, parts.capabilities(), parts.losses(), parts.costs(), this::renew,
        this::lose, context.getLog()::warn);
    this.dialer = parts.transport() == null
        ? new FabricDialer(node, parts.pd(), channelSettings(settings), OPTIONS, links.size(), core, context.getSelf(), Signal.COMPLETIONS, connectionEvents)
        : parts.transport().dialer(DaemonRequest.BYTES_MAX + settings.inlineBytes(), core, context.getSelf(), Signal.COMPLETIONS, connectionEvents);
  }

  static Behavior<Command> create(ClientParts parts) {
    return Behaviors.setup(context -> {
      PvfsClientActor actor = new PvfsClientActor(context, parts);
      actor.links.forEach(actor::connect);
      return Behaviors.receive(Command.class)
          .onAnyMessage(actor::onMessage)
          .onSignal(PostStop.class, stopped -> actor.onStopped())
          .build();
    });
  }

  static ChannelSettings channelSettings(ClientSettings settings) {
    int bytes = DaemonRequest.BYTES_MAX + Math.max(settings.inlineBytes(), DaemonReply.BYTES);
    return new ChannelSettings(bytes, Math.max(4, settings.credits()), settings.credits(), settings.forcedWrites() == Band.CLIENT ? DIRECT_MAX : 0);
  }

  static int slotBytes(ClientSettings settings) {
    return DaemonRequest.BYTES_MAX + settings.fastBytes();
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case Signal signal -> {
        if (signal == Signal.CLOSE) {
          return Behaviors.stopped();
        }
        onSignal(signal);
      }
      case Connected connected -> connector.onEvent(connected.event());
      case Again again -> {
        if (again.attempt().isCurrent()) {
          dialer.service(REAP_MAX); // Handles the completions of the old queue pair: the new one needs their room.
          connect(connector.linkOf(again.attempt()));
        }
      }
      case Drop drop -> {
        if (links.get(drop.daemon()).isUp()) {
          lose(links.get(drop.daemon()), "it was broken on purpose");
        }
      }
      case Changed changed -> core.changed(changed.file(), changed.striping());
      case Renewed renewed -> core.again(renewed.part());
      case Inspect inspect -> inspect.replyTo().tell(snapshot());
    }
    watch(); // Any message may leave a task that waits.
    return Behaviors.same();
  }

  private void onSignal(Signal signal) {
    switch (signal) {
      case DOORBELL -> onDoorbell();
      case COMPLETIONS -> dialer.service(REAP_MAX);
      case WATCH -> {
        watching = false;
        core.stoodStill(CallBound.stoodStillNs(nowNs(), watchNs));
        core.onTime(nowNs());
      }
      case CLOSE -> throw new IllegalStateException("handled before");
    }
  }

  private boolean renew(DaemonTask part) {
    ActorRef<Command> self = context.getSelf();
    return parts.capabilities().renew(part.task.object, () -> self.tell(new Renewed(part)));
  }

  private void onDoorbell() {
    parts.inbox().drain(task -> core.begin(task, nowNs()));
  }

  private long nowNs() {
    return node.context().clock().nowNs();
  }

  private void watch() {
    long nowNs = nowNs();
    long waitNs = core.waitNs(nowNs);
    long dueNs = nowNs + waitNs;
    if (waitNs >= 0 && (!watching || dueNs - watchNs < 0)) {
      watching = true;
      watchNs = dueNs;
      node.context().timers().at(dueNs, context.getSelf(), Signal.WATCH);
    }
  }

  // Connections.

  private void connect(DaemonLink link) {
    try {
      connector.connect(link);
    } catch (VerbsException | OutOfMemoryError noRoom) {
      lose(link, "this node's HCA has no room for a connection: " + noRoom.getMessage());
    }
  }

  private void lose(DaemonLink link, String why) {
    connector.lose(link, why, true);
  }

  private final class Connections implements Connector.Client<DaemonLink> {
    @Override
    public MessageChannel dial(DaemonLink link, Link.Attempt attempt) {
      MemoryRegion fast = link.fast;
      Hello ours = fast == null ? new Hello(instance, settings.credits(), settings.inlineBytes(), 0, 0, 0, 0)
          : new Hello(instance, settings.credits(), settings.inlineBytes(), settings.fastSlots(), link.slotBytes, fast.addr(), fast.rkey());
      return dialer.connect(link.address.node(), link.address.service(), ours.encode(), attempt);
    }

    @Override
    public void onEstablished(DaemonLink link, byte[] answer) {
      Hello theirs = Hello.decode(answer);
      if (theirs == null) {
        lose(link, "it speaks another version of the protocol");
        return;
      }
      core.meet(link, theirs);
      link.up(theirs, settings.fastSlots());
      parts.reachesAll(links.stream().allMatch(DaemonLink::isUp));
      context.getLog().debug("I/O daemon {} of node {} is reached", link.address.service(), link.address.node());
      core.pump(link);
    }

    @Override
    public void onEnded(DaemonLink link, ConnectionEvent event) {
      lose(link, Connector.why(event, NoEntry::why));
    }

    @Override
    public long onLost(DaemonLink link, String why, boolean wasUp) {
      if (wasUp) {
        context.getLog().warn("the connection to I/O daemon {} of node {} is lost: {}; connecting again", link.address.service(), link.address.node(), why);
      }
      link.down(wasUp, nowNs());
      parts.reachesAll(false);
      return settings.reconnectNs();
    }

    @Override
    public void later(long delayNs, Link.Attempt attempt) {
      node.context().timers().at(nowNs() + delayNs, context.getSelf(), new Again(attempt));
    }
  }

  private ClientSnapshot snapshot() {
    List<ClientSnapshot.Daemon> daemons = links.stream().map(link -> new ClientSnapshot.Daemon(link.address.node(), link.address.service(), link.isUp(),
        link.hasLostAll, link.why(), link.requests.credits(), link.waiting.size(), link.requests.sentCount(), link.sentCount, link.losses,
        core.sender().bandsOf(link))).toList();
    return new ClientSnapshot(daemons, core.underWay(), core.sender().sentBy.clone(), core.bytesRead, core.bytesWritten, core.sender().bytesCopied, core.errors,
        core.badReads, core.badWrites, userMemory.held());
  }

  private Behavior<Command> onStopped() {
    links.forEach(Link::stop);
    parts.inbox().close();
    core.failAll(Errno.ESHUTDOWN);
    dialer.close();
    parts.close();
    return Behaviors.same();
  }
}
