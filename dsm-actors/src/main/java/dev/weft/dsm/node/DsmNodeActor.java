package dev.weft.dsm.node;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.dsm.member.DsmMember;
import dev.weft.dsm.member.NodeCore;
import dev.weft.dsm.member.PresumedLostPeers;
import dev.weft.dsm.net.Denial;
import dev.weft.dsm.net.Hello;
import dev.weft.dsm.net.Peer;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.objects.Hints;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.objects.Wait;
import dev.weft.fabric.node.Directory;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.verbs.Access;

/**
 * A node of shared memory: the asynchronous entry points of its protocol, and the homes of the minipages that it is responsible for. Only this actor
 * changes rights; threads ask it by messages. A setting selects its context; the code is the same in all contexts.
 */
public final class DsmNodeActor {
  private static final int REAP_MAX = 256;
  private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT.withAccessFlags(Access.ALL | Access.FLUSH_GLOBAL);
  private static final long ASK_AGAIN_NS = 50_000_000L;

  private final ActorContext<NodeCommand> context;
  private final DsmParts parts;
  private final DsmMember member;
  private final PresumedLostPeers presumedLost;
  private final MessageEndpoint endpoint;
  private final ActorRef<ConnectionEvent> connectionEvents;
  private Directory.Subscription losses;
  private String why;
  /** The other nodes go on without this node. */
  private boolean isOut;
  private long activations;
  private long alarmNs = NodeCore.NEVER;

  private DsmNodeActor(ActorContext<NodeCommand> context, DsmParts parts) {
    this.context = context;
    this.parts = parts;
    this.connectionEvents = context.messageAdapter(ConnectionEvent.class, NodeCommand.Connected::new);
    this.why = "node " + parts.node().name() + " has left shared memory " + parts.space();
    this.member = new DsmMember(parts, this::connect, this::onLoss);
    this.presumedLost = new PresumedLostPeers(parts, member, OPTIONS, this::tellLater, this::endBecause);
    this.endpoint = new MessageEndpoint(parts.node().hca(), parts.pd(), Peers.NODES_MAX * member.peers().channelSettings().cqEntries(),
        context.getSelf(), NodeCommand.Notice.COMPLETIONS, false, null, member.peers());
    member.peers().use(endpoint);
    member.group().use(context.getSelf());
  }

  static Behavior<NodeCommand> create(DsmParts parts) {
    return Behaviors.setup(context -> {
      DsmNodeActor actor = new DsmNodeActor(context, parts);
      actor.listen();
      return Behaviors.receive(NodeCommand.class)
          .onAnyMessage(actor::onMessage)
          .onSignal(PostStop.class, stopped -> actor.onStopped())
          .build();
    });
  }

  private void listen() {
    endpoint.arm();
    parts.node().cm().listen(parts.service(), context.messageAdapter(ConnectionRequest.class, NodeCommand.Requested::new));
    ActorRef<NodeCommand> self = context.getSelf();
    losses = parts.node().cm().onNodeLost(lost -> self.tell(new NodeCommand.NodeLost(lost)));
    member.joining().begin();
  }

  private Behavior<NodeCommand> onMessage(NodeCommand message) {
    activations++;
    if (message instanceof Wait wait) {
      wait.sinceNs = nowNs();
    }
    switch (message) {
      case Fault fault -> member.onFault(fault);
      case NodeCommand.Notice notice -> onNotice(notice);
      case Wait.OfLock wait -> member.sync().onWait(wait);
      case Wait.OfBarrier wait -> member.sync().onWait(wait);
      case Wait.OfCondition wait -> member.sync().onWait(wait);
      case Wait.OfObject wait -> member.onObject(wait);
      case Wait.OfJoin wait -> member.joining().onJoin(wait);
      case Wait.OfRelease wait -> member.release().release(() -> {
        wait.counts = member.release().counts();
        wait.end();
      });
      case Wait.OfLeave wait -> member.leaving().onLeave(wait);
      case Wait.OfSnapshot wait -> {
        wait.snapshot = DsmReports.snapshot(member, parts, activations);
        wait.end();
      }
      case Wait.OfReport wait -> {
        wait.report = DsmReports.of(member, parts, wait.max, true, nowNs(), activations);
        wait.end();
      }
      case NodeCommand.Cancel cancel -> onCancel(cancel.waiting());
      case NodeCommand.Signal signal -> member.sync().signal(signal.object(), signal.all());
      case NodeCommand.Prefetch prefetch -> onPrefetch(prefetch);
      case NodeCommand.Requested requested -> onRequested(requested.request());
      case NodeCommand.Connected connected -> onConnectionEvent(connected.event());
      case NodeCommand.AskAgain again -> member.joining().askAgain(again.id(), again.name());
      case NodeCommand.GroupJoined joined -> member.group().onJoined(joined.lid(), joined.refusal());
      case NodeCommand.NodeLost lost -> onNodeLost(lost.node());
      case NodeCommand.TellLost tell -> presumedLost.tell(tell.lost(), connectionEvents);
      case NodeCommand.Inspect inspect -> inspect.replyTo().tell(DsmReports.snapshot(member, parts, activations));
      case NodeCommand.Report report -> report.replyTo().tell(DsmReports.of(member, parts, report.max(), report.withCounters(), nowNs(), activations));
      case NodeCommand.Stop stop -> {
        return Behaviors.stopped();
      }
      case Wait.OfCondition.Registered never -> throw new IllegalStateException("not told to anybody");
    }
    afterwards();
    return isOut ? Behaviors.stopped() : Behaviors.same();
  }

  private void onPrefetch(NodeCommand.Prefetch wanted) {
    member.prefetch(wanted.slice());
    if (wanted.count() > Hints.SLICE) {
      context.getSelf().tell(wanted.rest()); // After the messages that are waiting now.
    } else {
      wanted.hints().end();
    }
  }

  private void onNodeLost(String node) {
    String self = parts.node().name();
    // A node that has left the fabric has lost all others with it, but nothing of theirs is lost by that. The order of the notices does not matter.
    if (node.equals(self) || parts.node().directory().hasLeft()) {
      endBecause("node " + self + " is out of shared memory " + parts.space() + ": it is not on the fabric any more");
    } else {
      member.onNodeLost(node);
    }
  }

  private void onLoss(Peer peer) {
    presumedLost.onLost(peer);
  }

  private void tellLater(long delayNs, Peer lost) {
    parts.node().context().timers().at(nowNs() + delayNs, context.getSelf(), new NodeCommand.TellLost(lost));
  }

  private void endBecause(String reason) {
    why = reason;
    isOut = true;
  }

  private void onNotice(NodeCommand.Notice notice) {
    switch (notice) {
      case COMPLETIONS -> endpoint.service(REAP_MAX);
      case DATAGRAMS -> member.group().onNotice();
      case RETRY -> {
        alarmNs = NodeCore.NEVER;
        member.retry(nowNs());
      }
      case LEFT -> member.retry(nowNs());
    }
  }

  private void onCancel(Wait wait) {
    switch (wait) {
      case Wait.OfLock lock -> member.sync().onCancel(lock);
      case Wait.OfCondition condition -> member.sync().onCancel(condition);
      default -> throw new IllegalArgumentException(wait + " cannot be cancelled");
    }
  }

  /** Handles this node's messages to itself at once, then sets alarms and wakes threads. */
  private void afterwards() {
    member.doLocal();
    member.leaving().look();
    member.doLocal();
    long wanted = member.retryAtNs();
    if (wanted < alarmNs) {
      alarmNs = wanted;
      parts.node().context().timers().at(wanted, context.getSelf(), NodeCommand.Notice.RETRY);
    }
    parts.waitedFor().set(member.isWaitedFor());
    parts.waits().changed();
  }

  private long nowNs() {
    return parts.node().context().clock().nowNs();
  }

  // Connections.

  private void connect(Peer peer, Hello hello) {
    parts.node().cm().connect(peer.name, parts.service(), peer.channel.qp(), OPTIONS, hello.encode(), connectionEvents, peer);
    peer.channel.postReceives();
  }

  private void onRequested(ConnectionRequest request) {
    if (presumedLost.onRequested(request)) {
      return;
    }
    Hello hello = Hello.decode(request.privateData());
    Denial problem = member.joining().problemOf(hello);
    if (problem != null) {
      request.reject(problem.encode());
      return;
    }
    Peer peer = member.joining().admit(request.peerNode(), hello);
    request.accept(peer.channel.qp(), OPTIONS, member.hello(peer.id).encode(), connectionEvents, peer);
    peer.channel.postReceives();
  }

  private void onConnectionEvent(ConnectionEvent event) {
    if (presumedLost.onConnectionEvent(event)) {
      return;
    }
    Peer peer = (Peer) event.context();
    switch (event) {
      case ConnectionEvent.Established established -> {
        peer.connection = established.connection();
        member.joining().onConnected(peer, Hello.decode(established.privateData()));
      }
      case ConnectionEvent.Rejected rejected -> onRejected(peer, rejected);
      case ConnectionEvent.Disconnected gone -> member.onFailed(peer, gone.nodeLost() ? "it was lost" : "it disconnected");
    }
  }

  /** Asks a node again that is absent or does not listen yet, so that nodes may start in any order. */
  private void onRejected(Peer peer, ConnectionEvent.Rejected rejected) {
    boolean isToBeAsked = rejected.reason() == RejectReason.CONSUMER ? member.joining().onDenied(peer, Denial.decode(rejected.privateData()))
        : member.joining().onAbsent(peer);
    if (isToBeAsked) {
      parts.node().context().timers().at(nowNs() + ASK_AGAIN_NS, context.getSelf(), new NodeCommand.AskAgain(peer.id, peer.name));
    }
  }

  private Behavior<NodeCommand> onStopped() {
    parts.node().cm().unlisten(parts.service());
    losses.cancel();
    try {
      member.end(why);
      member.group().close();
      endpoint.close();
      parts.close();
    } finally {
      parts.ended().set(isOut ? why : why + ", or its protocol has failed"); // Messages left in the mailbox are not handled any more; waiting threads see this.
      parts.waits().changed();
    }
    return Behaviors.same();
  }
}
