package dev.weft.lab.hosts;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.time.FabricContext;

/**
 * The engines and the bus of a host channel adapter in virtual time, between the HCA's actor and its cable. It holds each packet as long
 * as {@link AdapterModel} says. Link credits bound the number of packets that it holds. Credits and link states pass immediately.
 */
public final class HostAdapter {
  /** A command to the adapter, in addition to the messages from the cable. */
  public sealed interface Command extends HardwareMessage {}

  private record FromHca(CableMessage message) implements Command {}

  private record WhenRead(Runnable done) implements Command {}

  private record LastSent(Runnable done) implements Command {}

  private record Read(Runnable done) implements Command {}

  private record Send(Packet packet) implements Command {}

  private record Deliver(Packet packet) implements Command {}

  private final AdapterModel model;
  private final FabricContext fabric;
  private final ActorRef<HardwareMessage> self;
  private final ActorRef<HardwareMessage> hca;
  private final Cable wire;

  private HostAdapter(AdapterModel model, FabricContext fabric, ActorRef<HardwareMessage> self, ActorRef<HardwareMessage> hca,
      Cable wire) {
    this.model = model;
    this.fabric = fabric;
    this.self = self;
    this.hca = hca;
    this.wire = wire;
  }

  /** Makes an adapter between {@code hca} and {@code wire}; the other end of the wire transmits to this actor. */
  public static Behavior<HardwareMessage> create(AdapterCosts costs, FabricContext fabric, ActorRef<HardwareMessage> hca, Cable wire) {
    return Behaviors.setup(context -> {
      HostAdapter adapter = new HostAdapter(new AdapterModel(costs), fabric, context.getSelf(), hca, wire);
      return Behaviors.receiveMessage(adapter::onMessage);
    });
  }

  /** Returns the cable on which the HCA transmits. */
  public static Cable cableOf(ActorRef<HardwareMessage> adapter) {
    return new Cable() {
      @Override
      public void transmit(CableMessage message) {
        adapter.tell(new FromHca(message));
      }

      @Override
      public void whenRead(Runnable done) {
        adapter.tell(new WhenRead(done));
      }
    };
  }

  private Behavior<HardwareMessage> onMessage(HardwareMessage message) {
    switch (message) {
      case Packet packet -> fabric.timers().at(model.received(packet, fabric.clock().nowNs()), self, new Deliver(packet));
      case CableMessage control -> hca.tell(control);
      case Command command -> onCommand(command);
      default -> throw new IllegalArgumentException("a host adapter does not understand " + message);
    }
    return Behaviors.same();
  }

  private void later(long atNs, Command command) {
    fabric.timers().at(Math.max(atNs, fabric.clock().nowNs()), self, command);
  }

  private void onCommand(Command command) {
    switch (command) {
      case FromHca(Packet packet) -> fabric.timers().at(model.sent(packet, fabric.clock().nowNs()), self, new Send(packet));
      case FromHca(CableMessage control) -> wire.transmit(control);
      case WhenRead(Runnable done) -> later(model.lastSentNs(), new LastSent(done));
      case LastSent(Runnable done) -> later(wire.freeAtNs(), new Read(done)); // By now, the adapter has sent these packets to the wire.
      case Read read -> read.done().run();
      case Send send -> wire.transmit(send.packet());
      case Deliver deliver -> hca.tell(deliver.packet());
    }
  }
}
