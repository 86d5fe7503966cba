package dev.weft.fabric.switching;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.DirectCable;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Packets per second from one end port through a switch (ingress and egress port actors) to another, in real time on the
 * hardware dispatcher: four actors, one thread. Run {@code main}; nothing is asserted.
 */
public final class SwitchBenchmark {
  private static final int PACKETS = 5_000_000;
  private static final int ROUNDS = 8;
  private static final int BUFFERS = 128;

  private SwitchBenchmark() {}

  private record Start(int count) implements HardwareMessage {}

  /** Sends as fast as credits allow, or counts what comes and returns credits by half of its buffers. */
  private static final class End {
    private static final Packet TEMPLATE = new Packet(Opcode.RC_SEND_ONLY, 1, 2, 0, false, false, Packet.DEFAULT_PKEY, 1, 0,
        0, 0, 0, 0, 0, 0, 0, 0, Payload.EMPTY);
    private final CountDownLatch[] done;
    private final int lanes;
    private Cable cable;
    private int credits;
    private int left;
    private int unreturned;
    private long received;

    End(ActorContext<HardwareMessage> actor, ActorRef<SwitchActor.Command> leaf, int lid, int lanes, CountDownLatch[] done,
        CountDownLatch ready) {
      this.done = done;
      this.lanes = lanes;
      ActorRef<HardwareMessage> self = actor.getSelf();
      ActorRef<SwitchActor.AttachReply> adapter = actor.messageAdapter(SwitchActor.AttachReply.class, reply -> reply);
      leaf.tell(new SwitchActor.AttachPort("end-" + lid, lid, true, port -> {
        cable = new DirectCable(port);
        ready.countDown();
        return new DirectCable(self);
      }, adapter));
    }

    Behavior<HardwareMessage> onMessage(HardwareMessage message) {
      if (message instanceof Packet packet) {
        packet.release();
        if (++unreturned == BUFFERS / 2) {
          cable.transmit(new CableMessage.Credits(0, unreturned));
          unreturned = 0;
        }
        if (++received % PACKETS == 0) {
          done[(int) (received / PACKETS) - 1].countDown();
        }
      } else if (message instanceof CableMessage.Credits granted) {
        if (granted.virtualLane() == 0) {
          credits += granted.count();
          pump();
        }
      } else if (message instanceof Start start) {
        left = start.count();
        pump();
      } else if (message instanceof CableMessage.LinkState) {
        for (int lane = 0; lane < lanes; lane++) {
          cable.transmit(new CableMessage.Credits(lane, BUFFERS));
        }
      }
      return Behaviors.same();
    }

    private void pump() {
      while (credits > 0 && left > 0) {
        credits--;
        left--;
        cable.transmit(TEMPLATE);
      }
    }
  }

  public static void main(String[] args) throws InterruptedException {
    CountDownLatch[] done = new CountDownLatch[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      done[i] = new CountDownLatch(1);
    }
    CountDownLatch ready = new CountDownLatch(2);
    DispatcherSelector hardware = HardwareDispatcher.SELECTOR;
    SwitchSettings settings = SwitchSettings.from(ConfigFactory.load());
    AtomicReference<ActorRef<HardwareMessage>> source = new AtomicReference<>();
    ActorSystem<Void> system = ActorSystem.create(
        Behaviors.setup(root -> {
          ActorRef<SwitchActor.Command> leaf = root.spawn(
              SwitchActor.create(settings, HardwareDispatcher.realContext(root.getSystem()), hardware), "switch", hardware);
          for (int lid = 1; lid <= 2; lid++) {
            int own = lid;
            ActorRef<HardwareMessage> end = root.spawn(
                Behaviors.setup((ActorContext<HardwareMessage> actor) -> {
                  End state = new End(actor, leaf, own, settings.virtualLanes(), done, ready);
                  return Behaviors.receiveMessage(state::onMessage);
                }),
                "end-" + lid, hardware);
            source.compareAndSet(null, end);
          }
          return Behaviors.empty();
        }),
        "benchmark");
    ready.await();
    for (CountDownLatch round : done) {
      long startNs = System.nanoTime();
      source.get().tell(new Start(PACKETS));
      round.await();
      double seconds = (System.nanoTime() - startNs) / 1e9;
      System.out.printf("%.2f M packets/s, %.0f ns per packet%n", PACKETS / seconds / 1e6, seconds * 1e9 / PACKETS);
    }
    system.terminate();
  }
}
