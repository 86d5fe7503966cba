package dev.weft.hca.transport;

import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.memory.MrTable;
import dev.weft.hca.verbs.HcaSettings;

/** The device as its queue pairs and shared receive queues see it. Hardware thread, except for {@link #calls}. */
public abstract class QueueDevice extends TransportDevice {
  protected final HardwareCalls calls;
  protected final QpStates states = new QpStates(this);

  protected QueueDevice(HcaSettings settings, HardwareCalls calls, MrTable memory) {
    super(settings, memory);
    this.calls = calls;
  }

  /** Activates a queue pair that has packets to send. */
  protected abstract void activate(Qp qp);

  /** Activates a queue pair that owes an acknowledgement, but only after the packets that have already arrived are processed. */
  protected abstract void activateLater(Qp qp);

  /** Reports that the requester's deadline has changed. */
  protected abstract void timerChanged(Qp qp);

  /** Flushes a queue pair after the HCA was closed, because the closing thread may have missed a concurrent post. Any thread. */
  protected abstract void flushAfterEnd(Qp qp);
}
