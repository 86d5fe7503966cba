package dev.weft.fabric.subnet;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;

/**
 * A node that a JVM registers.
 *
 * @param lid its LID, 0 if it has none yet
 * @param cm its connection manager
 */
public record NodeClaim(String name, int lid, ActorRef<HardwareMessage> cm) {}
