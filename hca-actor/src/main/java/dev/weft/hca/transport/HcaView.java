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
 * The HCA as its queue pairs know it: the parts below them, which they use, and of the device what follows. A class and no interface, so that
 * the parts are fields. Hardware thread, but for {@link #calls}.
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

  /** Local identifier of the port, 0 until it has one. */
  protected abstract int lid();

  /** Longest packet in bytes that the links of this fabric carry. */
  protected abstract int portMtuBytes();

  /** Longest datagram in bytes that reaches the port, or all ports of the multicast group, of that LID. */
  protected abstract int datagramMaxBytes(int destLid);

  /** Transmits; the caller has checked that there is a credit. */
  protected abstract void send(Packet packet);

  /** Sends a packet of a service that loses packets without a word: one that finds the link down is lost. */
  protected abstract void sendOrLose(Packet packet);

  /** Whether a packet of that service level has a link credit, or needs none because the link is down and it is lost. */
  protected abstract boolean mayTransmit(int serviceLevel);

  /** Time of the fabric's clock. */
  protected abstract long nowNs();

  /** The queue pair has something to send. */
  protected abstract void activate(Qp qp);

  /** The queue pair owes an acknowledgement, which may wait until what has arrived already is processed. */
  protected abstract void activateLater(Qp qp);

  /** Lets the active queue pairs send in turn, as far as windows and link credits go. */
  protected abstract void pump();

  /** The requester's deadline has changed. */
  protected abstract void timerChanged(Qp qp);

  protected abstract void event(AsyncEvent.Type type, int number);

  /** A completion found no room: the queue pairs of that queue end. */
  protected abstract void overrun(Cq cq);

  /** Something was posted while the HCA was closed: whoever closed it may not have seen it. Any thread. */
  protected abstract void flushAfterEnd(Qp qp);
}
