package dev.weft.hca.device;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.ChildFailed;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.PostStop;
import akka.actor.typed.Terminated;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.ActorFailure;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.completion.Cq;
import dev.weft.hca.completion.CqActor;
import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.netvm.NicPages;
import dev.weft.hca.netvm.ShadowPtActor;
import dev.weft.hca.transport.QueueMessage;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.ReceiveContexts;

/**
 * The actor of a host channel adapter (design section 3): it receives packets, doorbells and timers, and sends packets. {@link PacketEngine} has the decision
 * logic. If the actor, one of its completion queues or its shadow page table fails, the device closes as by {@link Hca#close}, including DEVICE_FATAL,
 * and the actor ends.
 */
public final class HcaActor {
  /** The messages of an HCA, besides {@link CableMessage}s, {@link QueueMessage}s and control verbs. */
  public sealed interface Command extends HardwareMessage {}

  /** The cable to the switch is connected. */
  public record CableAttached(Cable cable) implements Command {}

  /** Requests the complete state of the HCA. */
  public record Inspect(ActorRef<HcaSnapshot> replyTo) implements Command {}

  record FlushAcks() implements Command {}

  record SpawnCq(Cq cq) implements Command {}

  record SpawnShadowPt(NicPages pages) implements Command {}

  static final FlushAcks FLUSH_ACKS = new FlushAcks();

  private final ActorContext<HardwareMessage> context;
  private final ControlVerbs hca;
  private final PacketEngine core;
  private final DispatcherSelector dispatcher;
  private final ReceiveContexts contexts;

  private HcaActor(ActorContext<HardwareMessage> context, ControlVerbs hca, DispatcherSelector dispatcher, ReceiveContexts contexts) {
    this.context = context;
    this.hca = hca;
    this.core = hca.core;
    this.dispatcher = dispatcher;
    this.contexts = contexts;
  }

  /**
   * Creates the actor of {@code hca}.
   *
   * @param dispatcher the dispatcher of completion queue actors: the hardware dispatcher
   * @param contexts runs the handlers of completion queues
   */
  public static Behavior<HardwareMessage> create(ControlVerbs hca, DispatcherSelector dispatcher, ReceiveContexts contexts) {
    hca.useContexts(contexts);
    return Behaviors.setup(context -> {
      hca.core.start(context.getSelf());
      HcaActor actor = new HcaActor(context, hca, dispatcher, contexts);
      return Behaviors.receive(HardwareMessage.class)
          .onAnyMessage(actor::onMessage)
          .onSignal(ChildFailed.class, actor::onChildFailed)
          .onSignal(Terminated.class, ended -> Behaviors.same())
          .onSignal(PostStop.class, stopped -> {
            hca.ends().onStopped();
            return Behaviors.same();
          })
          .build();
    });
  }

  private Behavior<HardwareMessage> onMessage(HardwareMessage message) {
    try {
      if (hca.isClosed()) {
        synchronized (hca.ends().lock()) {
          handle(message);
        }
      } else {
        handle(message);
      }
    } catch (RuntimeException | Error failure) {
      hca.ends().onFailed("its actor failed", failure);
      throw ActorFailure.of(failure);
    }
    return Behaviors.same();
  }

  private Behavior<HardwareMessage> onChildFailed(ChildFailed failed) {
    String reason = failed.getRef().path().name() + " failed";
    hca.ends().onFailed(reason, failed.getCause());
    throw new IllegalStateException(reason, failed.getCause());
  }

  private void handle(HardwareMessage message) {
    switch (message) {
      case Packet packet -> core.onPacket(packet);
      case QueueMessage told -> onQueueMessage(told);
      case Command command -> onCommand(command);
      case HardwareCalls.Control control -> control.verb().run();
      case CableMessage.Credits credits -> core.onCredits(credits);
      case CableMessage.LinkState state -> core.onLinkState(state);
      default -> core.counters().unknownMessages().add("the HCA of " + hca.nodeName(), message);
    }
    core.pump();
  }

  private void onQueueMessage(QueueMessage message) {
    switch (message) {
      case QueueMessage.Doorbell doorbell -> core.onDoorbell(doorbell.qp());
      case QueueMessage.ReceivePosted posted -> core.onReceivePosted(posted.qp());
      case QueueMessage.SharedReceivePosted posted -> posted.srq().wake();
      case QueueMessage.TimerFired timer -> core.onTimer(timer.deadlineNs());
    }
  }

  private void onCommand(Command command) {
    switch (command) {
      case FlushAcks ignored -> core.flushLater();
      case CableAttached attached -> core.attach(attached.cable());
      case SpawnCq spawn -> onSpawnCq(spawn.cq());
      case SpawnShadowPt spawn -> context.watch(context.spawn(ShadowPtActor.create(spawn.pages()), "shadow-pt", dispatcher));
      case Inspect inspect -> inspect.replyTo().tell(core.snapshot(hca.nodeName()));
    }
  }

  private void onSpawnCq(Cq cq) {
    if (cq.isDestroyed()) {
      return;
    }
    ActorRef<CqActor.Command> actor = context.spawn(CqActor.create(cq, contexts), "cq-" + cq.number(), dispatcher);
    context.watch(actor);
    cq.startActor(actor);
  }
}
