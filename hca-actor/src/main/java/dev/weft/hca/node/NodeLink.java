package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.capture.CaptureHub;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.DirectCable;
import dev.weft.fabric.link.SimulatedLink;
import dev.weft.fabric.switching.SwitchActor;
import java.util.function.Consumer;
import java.util.function.Function;

/** The cable between an HCA and its switch port, laid when both ends exist. */
public interface NodeLink {
  /** Connects the two ends. */
  Ends lay(ActorRef<HardwareMessage> hca, ActorRef<HardwareMessage> port);

  /** The same, for {@link SwitchActor.AttachPort}: {@code laid} gets what the device transmits on, the switch what its port does. */
  default Function<ActorRef<HardwareMessage>, Cable> from(ActorRef<HardwareMessage> device, Consumer<Cable> laid) {
    return port -> {
      Ends ends = lay(device, port);
      laid.accept(ends.fromHca());
      return ends.fromPort();
    };
  }

  /** What each end transmits on. */
  record Ends(Cable fromHca, Cable fromPort) {}

  /** A cable that adds nothing. */
  NodeLink DIRECT = (hca, port) -> new Ends(new DirectCable(port), new DirectCable(hca));

  /** The same where somebody may look at what passes. */
  static NodeLink tapped(CaptureHub hub) {
    return (hca, port) -> new Ends(hub.fromNode(new DirectCable(port)), hub.toNode(new DirectCable(hca)));
  }

  /** A cable in virtual time; end A is the HCA. */
  static NodeLink simulated(SimulatedLink link) {
    return (hca, port) -> {
      link.connect(hca, port);
      return new Ends(link.fromA(), link.fromB());
    };
  }
}
