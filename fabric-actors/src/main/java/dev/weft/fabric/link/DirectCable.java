package dev.weft.fabric.link;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.packet.CableMessage;

/** A cable that adds nothing: the machine is the hardware (real time). */
public record DirectCable(ActorRef<HardwareMessage> farEnd) implements Cable {
  @Override
  public void transmit(CableMessage message) {
    farEnd.tell(message);
  }
}
