package dev.weft.pvfs.manager;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import akka.actor.typed.javadsl.StashBuffer;
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
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.ManagerHello;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import dev.weft.pvfs.wire.NoEntry;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actor of the manager. It accepts clients, commits all requests that came together and then answers them, and ends the sessions of clients that
 * do not come back. If its store waits for a disk, the actor has its own thread ({@code context = blocking}).
 */
public final class ManagerActor implements MessageHandler {
  /** Messages to this actor. */
  public sealed interface Command {}

  /** Asks for its state. */
  public record Inspect(ActorRef<ManagerSnapshot> replyTo) implements Command {}

  /** Asks for a check of the metadata, with repair if requested; no client is served meanwhile. */
  public record Check(boolean repairs, ActorRef<Checked> replyTo) implements Command {}

  private record CheckDone(Checked found, ActorRef<Checked> replyTo) implements Command {}

  /** Stops the manager. */
  public enum Stop implements Command {
    INSTANCE
  }

  /** Also accept clients from outside the fabric. */
  record LetIn(ServiceListener listener) implements Command {}

  private record Requested(IncomingClient incoming) implements Command {}

  private record Connected(ConnectionEvent event) implements Command {}

  private record NodeLost(String node) implements Command {}

  /** The daemons have done the work of an intent. */
  record EffectDone(long number) implements Command {}

  /** Identifies a connection in its events. */
  private record Link(ManagerSession session, MessageChannel channel) {
    static Link of(ConnectionEvent event) {
      return (Link) event.context();
    }
  }

  /** The daemons have failed to do it. */
  record EffectFailed(long intent, String why) implements Command {}

  /** They can never do it; as {@link Effects.Listener#refused}. */
  record EffectRefused(long intent, int errno, long fileBytes) implements Command {}

  /** Try it again. */
  private record EffectAgain(long intent) implements Command {}

  private enum Notice implements Command {
    COMPLETIONS,
    /** Messages of clients outside the fabric. */
    MESSAGES,
    /** Check for clients that have not come back. */
    KEPT,
    /** The time for clients of the previous manager is over. */
    GRACE,
    /** Check leases. */
    LEASES
  }

  /** Maximum requests of one commit. */
  private static final int REAP_MAX = 256;
  /** Delay before failed work at the daemons is repeated. */
  private static final long AGAIN_NS = 1_000_000_000L;
  private static final Logger LOG = LoggerFactory.getLogger(ManagerActor.class);
  /** Messages that wait for the end of a check: more than all timers, connections and effects together. */
  private static final int STASH_MAX = 1 << 16;
  private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT.withAccessFlags(0);

  private final ActorContext<Command> context;
  private final StashBuffer<Command> stash;
  private final Executor checks;
  private final Node node;
  private final String service;
  private final ManagerSettings settings;
  private final ProtectionDomain pd;
  private final MetadataHandler handler;
  private final Runnable whenStopped;
  private final FabricAcceptor fabric;
  private final Map<Long, ManagerSession> sessions = new LinkedHashMap<>();
  /** Sessions that have said BYE and whose connection has failed. */
  private final Set<ManagerSession> leaving = new LinkedHashSet<>();
  private final Coordination coordination;
  private final Effects.Listener effects;
  private final ManagerAnswers answers;
  private final ManagerRequests asked;
  private boolean isTiming;
  private Acceptor acceptor = Acceptor.NONE;
  private Directory.Subscription losses;
  private long requests;
  /** Sessions that have ended, each with a commit. */
  private long ends;
  private long refused;
  private final FailingEffects failing = new FailingEffects();

  private ManagerActor(ActorContext<Command> context, StashBuffer<Command> stash, Node node, String service, ManagerSettings settings, ProtectionDomain pd,
      MetadataHandler handler, Executor checks, Runnable whenStopped) {
    this.whenStopped = whenStopped;
    this.stash = stash;
    this.checks = checks;
    this.coordination = new Coordination(settings.coordination(), () -> (node.context().random().nextLong() >>> 1) | 1, handler.holders(),
        node.context().clock().nowNs());
    this.context = context;
    this.node = node;
    this.service = service;
    this.settings = settings;
    this.pd = pd;
    this.handler = handler;
    this.effects = new EffectNotices(context.getSelf());
    this.answers = new ManagerAnswers(handler, coordination, effects);
    this.asked = new ManagerRequests(handler, coordination, answers, this::nowNs);
    this.fabric = new FabricAcceptor(node, pd, settings.channel(), settings.clientsMax(), 0, OPTIONS, this, context.getSelf(),
        Notice.COMPLETIONS, context.messageAdapter(ConnectionEvent.class, Connected::new));
  }

  /** @param checks runs a {@link Check}, which reads all metadata and may take seconds */
  static Behavior<Command> create(Node node, String service, ManagerSettings settings, ProtectionDomain pd, MetadataHandler handler, Executor checks,
      Runnable whenStopped) {
    return Behaviors.withStash(STASH_MAX, stash -> Behaviors.setup(context -> {
      ManagerActor actor = new ManagerActor(context, stash, node, service, settings, pd, handler, checks, whenStopped);
      actor.listen();
      return actor.serving();
    }));
  }

  private Behavior<Command> serving() {
    return Behaviors.receive(Command.class)
        .onAnyMessage(this::onCommand)
        .onSignal(PostStop.class, stopped -> onStopped())
        .build();
  }

  /** Stashes all messages until the end of a check, which has the name space for itself. */
  private Behavior<Command> checking(CompletableFuture<Void> check) {
    return Behaviors.receive(Command.class)
        .onMessage(CheckDone.class, done -> {
          done.replyTo().tell(done.found());
          return stash.unstashAll(serving());
        })
        .onAnyMessage(command -> {
          stash.stash(command);
          return Behaviors.same();
        })
        .onSignal(PostStop.class, stopped -> {
          check.join();
          return onStopped();
        })
        .build();
  }

  private Behavior<Command> check(Check check) {
    ActorRef<Command> self = context.getSelf();
    CompletableFuture<Void> ended = new CompletableFuture<>();
    checks.execute(() -> {
      try {
        self.tell(new CheckDone(find(check.repairs()), check.replyTo()));
      } finally {
        ended.complete(null);
      }
    });
    return checking(ended);
  }

  private Checked find(boolean repairs) {
    try {
      return handler.check(repairs);
    } catch (RuntimeException | OutOfMemoryError failed) {
      LOG.error("manager {} could not check its metadata", service, failed);
      return Checked.failed("the check failed: " + failed);
    }
  }

  private void listen() {
    handler.beginEffects(effects); // Effects left by the previous manager.
    if (handler.isRecovering()) {
      node.context().timers().at(nowNs() + settings.graceNs(), context.getSelf(), Notice.GRACE);
    }
    fabric.arm();
    node.cm().listen(service, context.messageAdapter(ConnectionRequest.class, request -> new Requested(fabric.incoming(request))));
    ActorRef<Command> self = context.getSelf();
    losses = node.cm().onNodeLost(lost -> self.tell(new NodeLost(lost)));
  }

  private Behavior<Command> onCommand(Command message) {
    switch (message) {
      case Notice notice -> onNotice(notice);
      case Requested requested -> onRequested(requested.incoming());
      case Connected connected -> onConnectionEvent(connected.event());
      case NodeLost lost -> List.copyOf(sessions.values()).stream().filter(session -> session.node.equals(lost.node()))
          .forEach(session -> end(session, "its node was lost"));
      case EffectDone done -> onEffectDone(done.number());
      case EffectFailed failed -> onEffectFailed(failed);
      case EffectRefused refused -> onEffectRefused(refused);
      case EffectAgain again -> handler.effectAgain(again.intent(), effects);
      case Check check -> {
        return check(check);
      }
      case CheckDone done -> throw new IllegalStateException("no check is under way");
      case Inspect inspect -> inspect.replyTo().tell(snapshot());
      case LetIn letIn -> acceptor = letIn.listener().open(node.name(), service, settings.channel().messageBytes(), this, context.getSelf(),
          Notice.MESSAGES, context.messageAdapter(IncomingClient.class, Requested::new));
      case Stop stop -> {
        return Behaviors.stopped();
      }
    }
    tell();
    return Behaviors.same();
  }

  private void later(Command command) {
    node.context().timers().at(nowNs() + AGAIN_NS, context.getSelf(), command);
  }

  private ManagerSnapshot snapshot() {
    MetadataState state = handler.state();
    Coordination.State beside = coordination.state();
    return new ManagerSnapshot(sessions.size(), (int) sessions.values().stream().filter(ManagerSession::isConnected).count(), requests,
        answers.commits() + ends, refused, handler.isRecovering(), state.effects(), failing.failures(), failing.oldestNs(nowNs()),
        state.trouble(), state.failures(), state.reopened(), state.open(), beside.locks(), beside.lockWaiters(), beside.remembered(),
        beside.awaitsClaims(), beside.claimed(), beside.claimsRefused(), answers.waiting(), answers.repeats());
  }

  private void onNotice(Notice notice) {
    switch (notice) {
      case COMPLETIONS, MESSAGES -> {
        (notice == Notice.COMPLETIONS ? fabric : acceptor).service(REAP_MAX);
        answers.commit();
        List.copyOf(leaving).forEach(session -> end(session, "it has said good-bye"));
        leaving.clear();
      }
      case KEPT -> onKept();
      case GRACE -> onGrace();
      case LEASES -> {
        isTiming = false;
        coordination.onTime(nowNs());
      }
    }
  }

  /** Answers sessions that wait for events. */
  private void tell() {
    for (long id : coordination.takeTold()) {
      ManagerSession session = sessions.get(id);
      MetaReply due = session == null || !session.isConnected() ? null : coordination.due(id, nowNs());
      if (due != null) {
        session.answer(due);
        session.flush();
      }
    }
    Map<Long, List<MetaRequest>> deferred = coordination.takeDeferred();
    if (!deferred.isEmpty()) {
      deferred.forEach((id, requests) -> requests.forEach(request -> asked.handle(sessions.get(id), request)));
      answers.commit();
    }
    if (!isTiming && coordination.isActive()) {
      isTiming = true;
      node.context().timers().at(nowNs() + settings.coordination().waitNs() / 2, context.getSelf(), Notice.LEASES);
    }
  }

  // Requests.

  @Override
  public void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {
    ManagerSession session = ManagerSession.of(channel);
    MetaRequest request;
    try {
      request = MetaRequest.decode(buffer.asSlice(offset, length).asByteBuffer());
    } catch (IllegalArgumentException wrong) {
      refused++;
      lose(session, "it sent " + wrong.getMessage());
      return;
    }
    if (!session.ask(request.id())) {
      refused++;
      lose(session, "it has asked more at a time than its credits allow, or one thing twice");
      return;
    }
    requests++;
    session.requests++;
    asked.accept(session, request);
  }

  private void onEffectFailed(EffectFailed failed) {
    if (failing.failed(failed.intent(), nowNs())) {
      LOG.warn("manager {} retries until the I/O daemons have done it: {}", service, failed.why());
    }
    later(new EffectAgain(failed.intent()));
  }

  private void onEffectDone(long intent) {
    if (answers.effectDone(intent)) {
      failing.ended(intent);
    } else {
      later(new EffectDone(intent)); // Its client is not answered before: after a crash the work would be repeated over newer data.
    }
  }

  private void onEffectRefused(EffectRefused refused) {
    if (answers.effectRefused(refused.intent(), refused.errno(), refused.fileBytes())) {
      failing.ended(refused.intent());
    } else {
      later(refused);
    }
  }

  @Override
  public void onCompleted(MessageChannel channel, long token, WcStatus status) {
    // No send requests a notice.
  }

  @Override
  public void onSendRoom(MessageChannel channel) {
    ManagerSession.of(channel).flush();
  }

  @Override
  public void onFailed(MessageChannel channel, WcStatus status, int vendorErr) {
    ManagerSession session = ManagerSession.of(channel);
    if (session.isLeaving) {
      leaving.add(session); // The client closed its end before this event. End the session after the commit, which it would interrupt.
    } else {
      lose(session, "its connection failed: " + status);
    }
  }

  // Connections.

  private void onRequested(IncomingClient incoming) {
    ManagerHello hello = ManagerHello.decode(incoming.hello());
    ManagerSession session = hello == null ? null : sessions.get(hello.session());
    boolean isTaken = session != null && !session.node.equals(incoming.peer());
    if (hello == null || isTaken || session == null && sessions.size() >= settings.clientsMax()) {
      refused++;
      incoming.reject((hello == null ? NoEntry.NO_HELLO : isTaken ? NoEntry.SESSION_TAKEN : NoEntry.TOO_MANY_CLIENTS).encode());
      return;
    }
    if (session == null) {
      session = new ManagerSession(hello.session(), incoming.peer(), node.context().random().nextLong() | 1, settings.credits());
    } else {
      lose(session, "its client connects again");
    }
    accept(incoming, session, Math.min(hello.credits(), settings.credits()));
  }

  private void accept(IncomingClient incoming, ManagerSession session, int credits) {
    try {
      MessageChannel channel = incoming.open();
      channel.attach(session);
      session.connected(channel);
      incoming.accept(channel, new ManagerHello(session.id, session.incarnation, credits).encode(), new Link(session, channel));
      if (sessions.put(session.id, session) == null) {
        handler.beginSession(session.id);
      }
    } catch (VerbsException | OutOfMemoryError noRoom) {
      refused++;
      context.getLog().warn("manager {} refused a client of {}: {}", service, session.node, noRoom.getMessage());
      lose(session, noRoom.getMessage());
      incoming.reject(NoEntry.NO_RESOURCES.encode());
    }
  }

  private void onConnectionEvent(ConnectionEvent event) {
    Link link = Link.of(event);
    boolean isCurrent = link.session().channel == link.channel();
    switch (event) {
      case ConnectionEvent.Established established -> {
        if (isCurrent) {
          link.session().connection = established.connection();
        } else {
          established.connection().disconnect();
        }
      }
      case ConnectionEvent.Rejected rejected -> {
        if (isCurrent) {
          lose(link.session(), "its connection was not made: " + rejected.reason());
        }
      }
      case ConnectionEvent.Disconnected gone -> {
        if (isCurrent) {
          onDisconnected(link.session(), gone.nodeLost());
        }
      }
    }
  }

  private void onDisconnected(ManagerSession session, boolean isNodeLost) {
    if (isNodeLost || session.isLeaving) {
      end(session, isNodeLost ? "its node was lost" : "it has said good-bye");
    } else {
      lose(session, "it disconnected");
    }
  }

  /** The connection is lost; the client may come back. */
  private void lose(ManagerSession session, String why) {
    if (session.isConnected()) {
      context.getLog().info("manager {}: a connection to {} ends: {}", service, session.node, why);
    }
    if (session.disconnect()) {
      coordination.disconnected(session.id);
    }
    session.keptUntilNs = nowNs() + settings.keepNs();
    node.context().timers().at(session.keptUntilNs, context.getSelf(), Notice.KEPT);
  }

  private void end(ManagerSession session, String why) {
    lose(session, why);
    if (sessions.remove(session.id) != null) {
      ends++;
      handler.endSession(session.id);
      handler.beginEffects(effects);
      watchEnding();
      coordination.ended(session.id);
      coordination.revoke(session.id, handler.takeChanged(), () -> { });
    }
  }

  private void watchEnding() {
    if (handler.state().ending() > 0) {
      node.context().timers().at(nowNs() + AGAIN_NS, context.getSelf(), Notice.KEPT);
    }
  }

  private void onGrace() {
    if (!handler.endRecovery(Set.copyOf(sessions.keySet()))) {
      later(Notice.GRACE);
      return;
    }
    coordination.endGrace();
    handler.beginEffects(effects);
    watchEnding();
  }

  private void onKept() {
    List.copyOf(sessions.values()).stream().filter(session -> !session.isConnected() && session.keptUntilNs - nowNs() <= 0)
        .forEach(session -> end(session, "its client has not come back"));
    if (handler.state().ending() > 0) {
      handler.endSessions();
      handler.beginEffects(effects);
      watchEnding();
    }
  }

  private long nowNs() {
    return node.context().clock().nowNs();
  }

  private Behavior<Command> onStopped() {
    node.cm().unlisten(service);
    losses.cancel();
    List.copyOf(sessions.values()).forEach(session -> lose(session, "the manager stops"));
    acceptor.close();
    fabric.close();
    node.hca().deallocPd(pd);
    handler.close();
    whenStopped.run();
    return Behaviors.same();
  }
}
