package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.completion.Cq;
import dev.weft.hca.memory.MemoryAccess;
import dev.weft.hca.memory.MemoryWindows;
import dev.weft.hca.memory.MrTable;
import dev.weft.hca.memory.UnpinnedMemory;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.HcaSettings;

/**
 * The device as the halves of queue pairs see it: the parts of the lower packages that they use, and the methods of the device below. An abstract class
 * instead of an interface, so that the parts are fields. Hardware thread.
 */
abstract class TransportDevice {
  protected final HcaSettings settings;
  protected final HcaCounters counters = new HcaCounters();
  protected final MrTable memory;
  protected final MemoryWindows windows;
  protected final UnpinnedMemory unpinned;
  protected final MemoryAccess access;
  protected final QueueCompletions completions = new QueueCompletions(this);

  protected TransportDevice(HcaSettings settings, MrTable memory) {
    this.settings = settings;
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

  /** Lets the active queue pairs send in turn, as far as windows and link credits allow. */
  protected abstract void pump();

  protected abstract void event(AsyncEvent.Type type, int number);

  /** Handles an overrun of a completion queue: its queue pairs go to ERR. */
  protected abstract void overrun(Cq cq);
}
