package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.completion.Cq;
import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.memory.MemoryAccess;
import dev.weft.hca.memory.MemoryWindows;
import dev.weft.hca.memory.MrTable;
import dev.weft.hca.memory.UnpinnedMemory;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.HcaSettings;

/**
 * The HCA as seen by its queue pairs: the parts of the lower packages that they use, and the methods of the device below. An abstract class instead of an
 * interface, so that the parts are fields. Hardware thread, except for {@link #calls}.
 */
public abstract class HcaView {
  protected final HcaSettings settings;
  protected final HardwareCalls calls;
  protected final HcaCounters counters = new HcaCounters();
  protected final MrTable memory;
  protected final MemoryWindows windows;
  protected final UnpinnedMemory unpinned;
  protected final MemoryAccess access;
  protected final QueueCompletions completions = new QueueCompletions(this);
  protected final QpStates states = new QpStates(this);

  protected HcaView(HcaSettings settings, HardwareCalls calls, MrTable memory) {
    this.settings = settings;
    this.calls = calls;
    this.memory = memory;
    windows = new MemoryWindows(memory);
    unpinned = new UnpinnedMemory(this::pump);
    access = new MemoryAccess(memory, unpinned);
  }

  /** The local identifier of the port; 0 until it has one. */
  protected abstract int lid();

  /** The MTU of this fabric's links, in bytes of payload. */
  protected abstract int portMtuBytes();

  /** The size in bytes of the longest datagram that can reach the port of that LID, or all ports of that multicast LID. */
  protected abstract int datagramMaxBytes(int destLid);

  /** Transmits a packet; the caller must have checked that there is a credit. */
  protected abstract void send(Packet packet);

  /** Sends a packet of an unreliable service; drops it if the link is down. */
  protected abstract void sendOrLose(Packet packet);

  /** Whether a packet of that service level has a link credit, or needs none because the link is down and the packet is dropped. */
  protected abstract boolean mayTransmit(int serviceLevel);

  /** The time of the fabric's clock. */
  protected abstract long nowNs();

  /** Activates a queue pair that has packets to send. */
  protected abstract void activate(Qp qp);

  /** Activates a queue pair that owes an acknowledgement, but only after the packets that have already arrived are processed. */
  protected abstract void activateLater(Qp qp);

  /** Lets the active queue pairs send in turn, as far as windows and link credits allow. */
  protected abstract void pump();

  /** Reports that the requester's deadline has changed. */
  protected abstract void timerChanged(Qp qp);

  protected abstract void event(AsyncEvent.Type type, int number);

  /** Handles an overrun of a completion queue: its queue pairs go to ERR. */
  protected abstract void overrun(Cq cq);

  /** Flushes a queue pair after the HCA was closed, because the closing thread may have missed a concurrent post. Any thread. */
  protected abstract void flushAfterEnd(Qp qp);
}
