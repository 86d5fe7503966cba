package dev.weft.tripwire.mpi;

import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.util.ArrayDeque;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * Long messages that the DMA engine writes, in order. Used by the thread of the rank, except for callbacks of the hardware. Bound: the requests of
 * the rank, of which as many are with the engine as its queue takes.
 */
final class Transfers {
  /** Receives each message that has left, or failed. */
  @FunctionalInterface
  interface Listener {
    void onLeft(Peer peer, Request send, Status status);
  }

  private record Transfer(Peer peer, Request send) {}

  private final DmaQueue dma;
  private final Waiting waiting;
  private final ArrayDeque<Transfer> underWay = new ArrayDeque<>();
  private final ArrayDeque<Transfer> behind = new ArrayDeque<>();
  /** Results of the engine for the oldest transfers, in order. */
  private final ManyToOneConcurrentArrayQueue<Status> ended;
  private final int underWayMax;

  Transfers(Nic nic, DmaQueue dma, Waiting waiting) {
    this.dma = dma.onSent(this::onSent);
    this.waiting = waiting;
    underWayMax = nic.settings().dmaRequestsMax();
    ended = new ManyToOneConcurrentArrayQueue<>(underWayMax);
  }

  /** Hardware thread. */
  private void onSent(long userData, Status status) {
    ended.offer(status); // It has room for all transfers in flight.
    waiting.ring();
  }

  /** Whether the hardware has reported something. Any thread. */
  boolean hasNews() {
    return !ended.isEmpty();
  }

  void add(Peer peer, Request send) {
    behind.add(new Transfer(peer, send));
    begin();
  }

  private boolean begin() {
    boolean moved = false;
    for (Transfer next = behind.peek(); next != null && underWay.size() < underWayMax; next = behind.peek()) {
      if (!write(next.send())) {
        break;
      }
      underWay.add(behind.poll());
      moved = true;
    }
    return moved;
  }

  /** Returns false if the queue is full, or the receiver is lost, which ends the job. */
  private boolean write(Request send) {
    try {
      return dma.write(send.mapping, 0, send.memory(send.length()), 0, send.length(), 0);
    } catch (NicException lost) {
      if (send.mapping.status() == Status.OK) {
        throw lost;
      }
      return false;
    }
  }

  /** Reports finished transfers; returns whether anything moved. */
  boolean move(Listener listener) {
    boolean moved = false;
    for (Status status = ended.poll(); status != null; status = ended.poll()) {
      Transfer transfer = underWay.poll();
      transfer.send().mapping.unmap();
      listener.onLeft(transfer.peer(), transfer.send(), status);
      moved = true;
    }
    return !behind.isEmpty() && begin() || moved;
  }

  void failAll(ErrorClass errorClass, String reason) {
    underWay.forEach(transfer -> transfer.send().fail(errorClass, reason));
    behind.forEach(transfer -> transfer.send().fail(errorClass, reason));
    underWay.forEach(transfer -> transfer.send().mapping.unmap());
    behind.forEach(transfer -> transfer.send().mapping.unmap());
    behind.clear();
  }
}
