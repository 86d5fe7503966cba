package dev.weft.fabric.host;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.time.FabricContext;
import dev.weft.fabric.time.VirtualSystem;

/** The hardware of a fabric in virtual time: its network, and models of its hosts and their adapters. */
public interface HostHardware {
  /** Each cable, from end to end. */
  LinkProfile link();

  /** Latency of a switch in nanoseconds. */
  long switchNs();

  /** Whether switches forward a packet as soon as its head has arrived. */
  boolean isCutThrough();

  /** Largest path MTU, a power of two from 256. */
  int mtuBytes();

  /** Makes a host, whose processors charge for what runs on them. */
  Host host(VirtualSystem system, String name);

  /** Makes an adapter between {@code hca} and {@code wire}; the other end of the wire transmits to this actor. */
  Behavior<HardwareMessage> adapter(FabricContext fabric, ActorRef<HardwareMessage> hca, Cable wire);

  /** Returns the cable on which the HCA transmits to its adapter. */
  Cable cableOf(ActorRef<HardwareMessage> adapter);
}
