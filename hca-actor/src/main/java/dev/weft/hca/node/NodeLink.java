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

/** Creates the cable between an HCA and its switch port, when both ends exist. */
public interface NodeLink {
  /** Connects the two ends. */
  Ends lay(ActorRef<HardwareMessage> hca, ActorRef<HardwareMessage> port);

  /** Like {@link #lay}, for {@link SwitchActor.AttachPort}: {@code laid} receives the device's end of the cable, the switch its port's end. */
  default Function<ActorRef<HardwareMessage>, Cable> from(ActorRef<HardwareMessage> device, Consumer<Cable> laid) {
    return port -> {
      Ends ends = lay(device, port);
      laid.accept(ends.fromHca());
      return ends.fromPort();
    };
  }

  /** The cables on which the two ends transmit. */
  record Ends(Cable fromHca, Cable fromPort) {}

  /** A plain cable. */
  NodeLink DIRECT = (hca, port) -> new Ends(new DirectCable(port), new DirectCable(hca));

  /** Returns a plain cable whose packets can be captured. */
  static NodeLink tapped(CaptureHub hub) {
    return (hca, port) -> new Ends(hub.fromNode(new DirectCable(port)), hub.toNode(new DirectCable(hca)));
  }

  /** Returns a cable in virtual time; end A is the HCA. */
  static NodeLink simulated(SimulatedLink link) {
    return (hca, port) -> {
      link.connect(hca, port);
      return new Ends(link.fromA(), link.fromB());
    };
  }
}
