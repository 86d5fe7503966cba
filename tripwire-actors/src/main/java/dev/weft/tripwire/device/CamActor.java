package dev.weft.tripwire.device;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.cam.EventFifo;
import dev.weft.tripwire.cam.PassingStream;

/**
 * Handles the interrupts of the Tripwire CAM (CLAN, sections 2.5 and 3.3). After an entry was put into the FIFO, an interrupt service routine of the
 * host empties the FIFO, or takes as many identifiers as the settings say, and wakes the waiting threads. The NIC looks accesses up in the CAM
 * itself, on the same thread: {@link PassingStream}.
 */
final class CamActor {
  sealed interface Command {}

  /** The FIFO is not empty. */
  record Interrupt() implements Command {}

  static final Interrupt INTERRUPT = new Interrupt();

  private final NicDevice nic;
  private final Runnable routine = this::emptyFifo;

  private CamActor(NicDevice nic) {
    this.nic = nic;
  }

  static Behavior<Command> create(NicDevice nic) {
    CamActor actor = new CamActor(nic);
    return Behaviors.receiveMessage(actor::onMessage);
  }

  private Behavior<Command> onMessage(Command message) {
    return switch (message) {
      case Interrupt ignored -> onInterrupt();
    };
  }

  private Behavior<Command> onInterrupt() {
    nic.run(ReceiveContext.ISR, routine);
    return Behaviors.same();
  }

  private void emptyFifo() {
    nic.core().interruptTaken();
    EventFifo fifo = nic.core().cam.fifo();
    int batch = nic.settings().fifoBatch();
    for (int taken = 0; batch == 0 || taken < batch; taken++) {
      int id = fifo.poll();
      if (id == EventFifo.NONE) {
        break;
      }
      nic.fired(id, 1);
    }
    if (fifo.size() > 0) {
      nic.core().interruptIf(true); // The interrupt line is still up.
      return;
    }
    for (int id = fifo.pollMissed(); id != EventFifo.NONE; id = fifo.pollMissed()) {
      nic.fired(id, fifo.takeMissed());
    }
  }
}
