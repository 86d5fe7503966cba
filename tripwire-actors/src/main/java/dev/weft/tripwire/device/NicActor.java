package dev.weft.tripwire.device;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.dispatch.HardwareCall;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.node.MulticastGroups;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.tripwire.cam.CamSnapshot;
import dev.weft.tripwire.driver.DmaRing;
import dev.weft.tripwire.driver.EventRing;
import dev.weft.tripwire.driver.ExportedAperture;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.NicSnapshot;
import java.util.concurrent.CompletableFuture;

/** A CLAN NIC (design section 3): handles packets, stores and DMA. {@link NicCore} decides. The parent of its CAM's actor. */
public final class NicActor {
  /** Commands to a NIC, besides {@link CableMessage}s. */
  public sealed interface Command extends HardwareMessage {}

  /** Asks for the whole state. */
  public record Inspect(ActorRef<NicSnapshot> replyTo) implements Command {}

  /** Asks for a part of the CAM: at most {@code limit} Tripwires after the first {@code offset}. */
  public record InspectCam(int offset, int limit, ActorRef<CamSnapshot> replyTo) implements Command {}

  record CableLaid(Cable cable) implements Command {}

  /** The ring of stores is not empty. */
  record StoreDoorbell() implements Command {}

  /** A DMA queue is no longer empty. */
  record DriverCall(DmaRing queue) implements Command {}

  record FlushEvents(EventRing queue) implements Command {}

  /** A call of another thread. Its caller may have taken it back; then it does nothing. */
  record Control(HardwareCall<?> call) implements Command {}

  /** The fabric has answered {@link SwitchedApertures#open}. */
  record GroupOpened(int id, long key, long length, MulticastGroups.Answer answer, CompletableFuture<Descriptor> opened) implements Command {}

  /** The fabric has answered {@link SwitchedApertures#join}. */
  record GroupJoined(Descriptor group, ExportedAperture aperture, MulticastGroups.Answer answer, CompletableFuture<LocalAperture> joined)
      implements Command {}

  record Pump() implements Command {}

  record ReadTimer() implements Command {}

  record HelloTimer() implements Command {}

  /** The input has placed a packet. */
  record Placed() implements Command {}

  /** A node has left the fabric. */
  record NodeLost() implements Command {}

  static final StoreDoorbell STORE_DOORBELL = new StoreDoorbell();
  static final Pump PUMP = new Pump();
  static final ReadTimer READ_TIMER = new ReadTimer();
  static final HelloTimer HELLO_TIMER = new HelloTimer();
  static final Placed PLACED = new Placed();
  static final NodeLost NODE_LOST = new NodeLost();

  private final NicDevice nic;
  private final NicCore core;

  private NicActor(NicDevice nic) {
    this.nic = nic;
    core = nic.core();
  }

  static Behavior<HardwareMessage> create(NicDevice nic) {
    return Behaviors.setup(context -> {
      core(nic).start(context.getSelf(), context.spawn(CamActor.create(nic), "cam", DispatcherSelector.sameAsParent()));
      NicActor actor = new NicActor(nic);
      return Behaviors.receive((self, message) -> actor.onMessage(message), (self, signal) -> {
        if (signal instanceof PostStop) {
          nic.actorStopped();
        }
        return Behaviors.same();
      });
    });
  }

  private static NicCore core(NicDevice nic) {
    return nic.core();
  }

  private Behavior<HardwareMessage> onMessage(HardwareMessage message) {
    switch (message) {
      case Packet packet -> core.onPacket(packet);
      case Command command -> onCommand(command);
      case CableMessage.Credits credits -> core.onCredits(credits);
      case CableMessage.LinkState state -> {
        core.onLinkState(state);
        if (core.isClosed() && !state.up()) {
          return Behaviors.stopped(); // Nothing arrives through a port that is down, so no packet is left unreleased.
        }
      }
      case CableMessage.Xoff xoff -> core.port().onXoff(xoff);
      case SwitchActor.PortAttached attached -> nic.portAttached(attached.portNumber());
      case SwitchActor.AttachRefused refused ->
          throw new IllegalStateException("the NIC " + nic.name() + " got no switch port: " + refused.reason());
      default -> core.counters.unknownMessages.add("the NIC " + nic.name(), message);
    }
    core.pump();
    return Behaviors.same();
  }

  private void onCommand(Command command) {
    switch (command) {
      case StoreDoorbell ignored -> nic.stores().onDoorbell();
      case DriverCall call -> core.dma.onCall(call.queue());
      case FlushEvents flush -> flush.queue().flush();
      case Control control -> control.call().run();
      case GroupOpened opened -> nic.multicast().onOpened(opened);
      case GroupJoined joined -> nic.multicast().onJoined(joined);
      case Pump ignored -> { }
      case ReadTimer ignored -> core.onReadTimer();
      case HelloTimer ignored -> core.hello.onTimer();
      case Placed ignored -> core.onPlaced();
      case NodeLost ignored -> nic.nodeLost();
      case CableLaid laid -> core.port().attach(laid.cable());
      case Inspect inspect -> inspect.replyTo().tell(nic.snapshot());
      case InspectCam inspect -> {
        core.stream.drain();
        inspect.replyTo().tell(core.cam.snapshot(inspect.offset(), inspect.limit()));
      }
    }
  }
}
