package dev.weft.pvfs.meta;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.link.Backlog;
import dev.weft.hca.link.Connector;
import dev.weft.hca.link.Dialer;
import dev.weft.hca.link.FabricDialer;
import dev.weft.hca.link.Link;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.CallBound;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.wire.ManagerHello;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import dev.weft.pvfs.wire.NoEntry;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The actor of the connection to the manager: sends submitted requests, takes answers, and reconnects a lost connection. */
final class MetaClientActor implements MessageHandler, Connector.Client<MetaClientActor.ManagerLink> {
  /** Messages to this actor. */
  sealed interface Command {}

  enum Signal implements Command {
    DOORBELL,
    COMPLETIONS,
    WATCH,
    /** Breaks the connection. */
    DROP,
    CLOSE
  }

  private record Connected(ConnectionEvent event) implements Command {}

  private record Again(Link.Attempt attempt) implements Command {}

  /** Repeat a close that the manager could not carry out. */
  private record CloseAgain(MetaRequest request) implements Command {}

  /** The connection to the manager. */
  static final class ManagerLink extends Link {
    private ManagerLink() {
      super("it was not reached yet");
    }
  }

  private static final int REAP_MAX = 256;
  private static final long CLOSE_AGAIN_NS = 1_000_000_000L;
  private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT.withAccessFlags(0);

  private final ActorContext<Command> context;
  private final Node node;
  private final DaemonAddress manager;
  private final MetaSettings settings;
  private final MetaParts parts;
  private final Dialer dialer;
  private final ActorRef<ConnectionEvent> connectionEvents;
  private final long session;
  private final ManagerLink link = new ManagerLink();
  private final Connector<ManagerLink> connector = new Connector<>(ManagerLink.class, this);
  private final Backlog<MetaCall> calls = new Backlog<>(Comparator.comparingLong(call -> call.order));
  private final ArrayDeque<MetaCall> waiting = calls.waiting();
  private long sends;
  /** Slots of changes that were sent and have not ended. */
  private final BitSet slots = new BitSet();
  /** The files that are open at the manager, and the session's incarnation there. */
  private final OpenTable open;
  private long incarnation;
  /** Numbers of this actor's own requests; those of callers are above 0. */
  private long ownId;
  private boolean watching;
  private long watchNs;
  private final CallBound bound;
  /** Since when the manager is unreachable. */
  private long lostNs;

  private MetaClientActor(ActorContext<Command> context, Node node, DaemonAddress manager, MetaSettings settings, MetaParts parts) {
    this.context = context;
    this.node = node;
    this.manager = manager;
    this.settings = settings;
    this.parts = parts;
    this.open = new OpenTable(parts.grants());
    this.bound = new CallBound(settings.patienceNs());
    this.lostNs = nowNs();
    this.session = (node.context().random().nextLong() >>> 1) | 1;
    this.connectionEvents = context.messageAdapter(ConnectionEvent.class, Connected::new);
    ChannelSettings sizes = channelSettings(settings.credits());
    this.dialer = parts.transport() == null
        ? new FabricDialer(node, parts.pd(), sizes, OPTIONS, 1, this, context.getSelf(), Signal.COMPLETIONS, connectionEvents)
        : parts.transport().dialer(sizes.messageBytes(), this, context.getSelf(), Signal.COMPLETIONS, connectionEvents);
  }

  static Behavior<Command> create(Node node, DaemonAddress manager, MetaSettings settings, MetaParts parts) {
    return Behaviors.setup(context -> {
      MetaClientActor actor = new MetaClientActor(context, node, manager, settings, parts);
      actor.connect();
      return Behaviors.receive(Command.class)
          .onAnyMessage(actor::onCommand)
          .onSignal(PostStop.class, stopped -> actor.onStopped())
          .build();
    });
  }

  private static ChannelSettings channelSettings(int credits) {
    return new ChannelSettings(Math.max(MetaRequest.BYTES_MAX, MetaReply.BYTES_MAX), Math.max(4, credits), credits, 0);
  }

  private Behavior<Command> onCommand(Command message) {
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
          dialer.service(REAP_MAX);
          connect();
        }
      }
      case CloseAgain close -> {
        waiting.add(own(close.request()));
        pump();
      }
    }
    return Behaviors.same();
  }

  private void onSignal(Signal signal) {
    switch (signal) {
      case DOORBELL -> onDoorbell();
      case COMPLETIONS -> dialer.service(REAP_MAX);
      case WATCH -> onWatch();
      case DROP -> {
        if (link.isUp()) {
          lose("it was broken on purpose");
        }
      }
      case CLOSE -> throw new IllegalStateException("handled before");
    }
    watch();
  }

  private void onDoorbell() {
    parts.inbox().drain(call -> {
      call.beganNs = nowNs();
      waiting.add(call);
    });
    pump();
  }

  private void pump() {
    MessageChannel channel = link.channel();
    while (link.isUp() && calls.maySend()) {
      int slot = channel.reserve();
      if (slot == MessageChannel.NO_BUFFER) {
        return;
      }
      MetaCall call = waiting.poll();
      ByteBuffer to = channel.buffers().asSlice(channel.offset(slot), MetaRequest.BYTES_MAX).asByteBuffer();
      takeSlot(call);
      call.request.inSlot(call.slot).encode(to);
      call.order = sends++;
      calls.sent(call.request.id(), call);
      call.sent(incarnation);
      channel.send(slot, to.position(), true);
    }
  }

  /** Gives a change a slot. There are as many slots as requests can be under way; repeated requests keep theirs and come before new ones. */
  private void takeSlot(MetaCall call) {
    if (call.slot == MetaRequest.NO_SLOT && call.request.op().isChange()) {
      call.slot = slots.nextClearBit(0);
      slots.set(call.slot);
    }
  }

  @Override
  public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
    MetaReply reply;
    try {
      reply = MetaReply.decode(buffer.asSlice(offset, length).asByteBuffer());
    } catch (IllegalArgumentException wrong) {
      lose("it sent " + wrong.getMessage());
      return;
    }
    MetaCall call = calls.remove(reply.id());
    if (call == null) {
      lose("it answered request " + reply.id() + ", which it was not asked");
      return;
    }
    calls.returned(1);
    MetaReply understood = call.understood(reply, incarnation);
    open.answered(call.request, understood);
    parts.ledger().answered(call.request, understood);
    finish(call, understood);
    pump();
  }

  private void finish(MetaCall call, MetaReply reply) {
    if (call.slot != MetaRequest.NO_SLOT) {
      slots.clear(call.slot);
      call.slot = MetaRequest.NO_SLOT;
    }
    if (!call.isOver) {
      parts.inbox().over();
    }
    if (isStillOpen(call.request, reply)) {
      node.context().timers().at(nowNs() + CLOSE_AGAIN_NS, context.getSelf(), new CloseAgain(OpenTable.closingAgain(call.request)));
    }
    boolean isTaken = call.finish(reply);
    if (!isTaken && reply.errno() == Errno.OK && OpenTable.accessOf(call.request) != 0) {
      waiting.add(own(OpenTable.closing(call.request, reply)));
    }
  }

  /**
   * Whether a close failed because the manager's store was full. The file would then stay open as long as this client lives and, without a name, keep
   * its space. After other errors of the store the file may be closed all the same, and be open anew by now.
   */
  private static boolean isStillOpen(MetaRequest request, MetaReply reply) {
    return request.op() == MetaOp.CLOSE && switch (reply.errno()) {
      case Errno.ENOSPC, Errno.EROFS -> true;
      default -> false;
    };
  }

  private MetaCall own(MetaRequest request) {
    MetaCall call = new MetaCall(request.numbered(--ownId), _ -> { });
    call.isOver = true;
    return call;
  }

  @Override
  public void onCompleted(MessageChannel of, long token, WcStatus status) {
    // No send requests a notice.
  }

  @Override
  public void onSendRoom(MessageChannel of) {
    pump();
  }

  @Override
  public void onFailed(MessageChannel of, WcStatus status, int vendorErr) {
    lose("its connection failed: " + status);
  }

  // Connections.

  private void connect() {
    try {
      connector.connect(link);
    } catch (VerbsException | OutOfMemoryError noRoom) {
      lose("this node's HCA has no room for a connection: " + noRoom.getMessage());
    }
  }

  @Override
  public MessageChannel dial(ManagerLink to, Link.Attempt attempt) {
    return dialer.connect(manager.node(), manager.service(), new ManagerHello(session, 0, settings.credits()).encode(), attempt);
  }

  @Override
  public void onEnded(ManagerLink from, ConnectionEvent event) {
    lose(Connector.why(event, NoEntry::why));
  }

  @Override
  public void onEstablished(ManagerLink to, byte[] answer) {
    ManagerHello theirs = ManagerHello.decode(answer);
    if (theirs == null) {
      lose("it speaks another version of the protocol");
      return;
    }
    link.up();
    calls.granted(Math.min(theirs.credits(), settings.credits()));
    parts.reached("");
    if (theirs.incarnation() != incarnation && incarnation != 0) {
      claimAgain();
    }
    incarnation = theirs.incarnation();
    pump();
  }

  /** Claims files and locks, before requests are repeated: a repeated close must find its file open. */
  private void claimAgain() {
    waiting.removeIf(call -> call.isClaim);
    waiting.stream().filter(MetaCall::wasSent).forEach(call -> parts.ledger().noteMaybeDone(call.request));
    int locks = parts.ledger().heldCount();
    if (open.size() + locks > 0) {
      context.getLog().info("manager {} of node {} was started anew: reclaiming {} open files and {} locks", manager.service(),
          manager.node(), open.size(), locks);
    }
    List<MetaRequest> claims = new ArrayList<>(open.reclaims());
    claims.addAll(parts.ledger().claims());
    for (MetaRequest request : claims.reversed()) {
      MetaCall call = own(request);
      call.isClaim = true;
      waiting.addFirst(call);
    }
  }

  private void lose(String why) {
    connector.lose(link, why, true);
    watch();
  }

  @Override
  public long onLost(ManagerLink of, String why, boolean wasUp) {
    if (wasUp) {
      context.getLog().warn("the connection to manager {} of node {} is lost: {}; connecting again", manager.service(), manager.node(), why);
      lostNs = nowNs();
    }
    parts.reached(why);
    calls.takeBack();
    return settings.reconnectNs();
  }

  @Override
  public void later(long delayNs, Link.Attempt attempt) {
    node.context().timers().at(nowNs() + delayNs, context.getSelf(), new Again(attempt));
  }

  // Time.

  private long nowNs() {
    return node.context().clock().nowNs();
  }

  private void watch() {
    if (link.isUp() || waiting.isEmpty()) {
      return;
    }
    long nowNs = nowNs();
    long leftNs = Long.MAX_VALUE;
    for (MetaCall call : waiting) {
      leftNs = call.isOver ? leftNs : Math.min(leftNs, Math.max(leftNs(call, nowNs), 0));
    }
    if (leftNs < Long.MAX_VALUE && (!watching || nowNs + leftNs - watchNs < 0)) {
      watching = true;
      watchNs = nowNs + leftNs;
      node.context().timers().at(watchNs, context.getSelf(), Signal.WATCH);
    }
  }

  /** A request for events is repeated whenever it ends with an error. */
  private long leftNs(MetaCall call, long nowNs) {
    return call.request.op() == MetaOp.EVENTS ? bound.leftOfPollNs(nowNs, call.beganNs, lostNs) : bound.leftNs(nowNs, call.beganNs, lostNs);
  }

  /** The process was paused for so long and could not hear from the manager: this time counts for no call. */
  private void stoodStill(long ns) {
    lostNs += ns;
    waiting.forEach(call -> call.beganNs += ns);
  }

  private void onWatch() {
    watching = false;
    long nowNs = nowNs();
    stoodStill(CallBound.stoodStillNs(nowNs, watchNs));
    List<MetaCall> overdue = link.isUp() ? List.of() : waiting.stream().filter(call -> !call.isOver && leftNs(call, nowNs) <= 0).toList();
    drop(new HashSet<>(overdue));
    for (MetaCall call : overdue) {
      finish(call, MetaReply.failed(call.request.id(), Errno.ETIMEDOUT));
      if (call.request.op() == MetaOp.CLOSE || call.wasSent() && OpenTable.accessOf(call.request) != 0) {
        waiting.add(abandoned(call)); // The file is or may be open; the answer tells when the manager is back.
      }
    }
  }

  /** Ends overdue calls. A request that gives up a lock stays in its place: a later lock of the same owner must not overtake it. */
  private void drop(Set<MetaCall> overdue) {
    List<MetaCall> all = List.copyOf(waiting);
    waiting.clear();
    for (MetaCall call : all) {
      if (!overdue.contains(call)) {
        waiting.add(call);
      } else if (LockLedger.givesBack(call.request)) {
        waiting.add(abandoned(call));
      }
    }
  }

  private MetaCall abandoned(MetaCall call) {
    MetaCall again = call.repeated();
    again.abandon();
    again.isOver = true;
    return again;
  }

  private Behavior<Command> onStopped() {
    link.stop();
    calls.clear().forEach(call -> finish(call, MetaReply.failed(call.request.id(), Errno.ESHUTDOWN)));
    dialer.close();
    node.hca().deallocPd(parts.pd());
    parts.inbox().close();
    return Behaviors.same();
  }
}
