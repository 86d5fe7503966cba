package dev.weft.fabric.node;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;

/**
 * One node of the fabric.
 *
 * @param name unique in the cluster
 * @param lid local identifier of its HCA port, 1 to 0xbfff
 * @param jvm the JVM that carries it, as {@code host:port} of its Akka address; {@code local} in virtual time
 * @param cm its connection manager actor
 */
public record NodeEntry(String name, int lid, String jvm, ActorRef<HardwareMessage> cm) {}
