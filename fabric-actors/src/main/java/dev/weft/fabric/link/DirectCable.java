package dev.weft.fabric.link;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.packet.CableMessage;

/** A cable of real time, which adds no costs: the machine itself is the hardware. */
public record DirectCable(ActorRef<HardwareMessage> farEnd) implements Cable {
  @Override
  public void transmit(CableMessage message) {
    farEnd.tell(message);
  }
}
