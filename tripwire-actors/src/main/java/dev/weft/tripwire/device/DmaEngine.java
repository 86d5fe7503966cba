package dev.weft.tripwire.device;

import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.driver.DmaRequest;
import dev.weft.tripwire.driver.DmaRing;
import dev.weft.tripwire.driver.MappedAperture;
import dev.weft.tripwire.nic.NicSettings;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The DMA engine with its part of the driver: takes requests from non-empty queues, round-robin, and cuts them into bursts. When the bytes of a
 * request are no longer needed, an interrupt lets the engine begin another request. A request is done when the other NIC has also confirmed all its
 * bytes. The last burst asks for the confirmation; if an earlier question is still open, {@link Hello} asks after its answer. Hardware thread. Bound:
 * each queue is in the ring at most once, at most {@code inFlightMax} requests need their bytes, and each queue has at most its capacity of
 * unfinished requests.
 */
final class DmaEngine {
  private final NicDevice nic;
  private final NicCore core;
  private final int inFlightMax;
  private final long setupNs;
  private final boolean copies;
  /** Queues that are not empty, or have a request that is being sent; each once. */
  private final ArrayDeque<DmaRing> ring = new ArrayDeque<>();
  /** Requests that have begun and still need their bytes; the oldest nearly always leaves first. */
  private final ArrayDeque<DmaRequest> inFlight = new ArrayDeque<>();

  DmaEngine(NicDevice nic, NicCore core, NicSettings settings) {
    this.nic = nic;
    this.core = core;
    inFlightMax = settings.dmaInFlightMax();
    setupNs = settings.dmaSetupNs();
    copies = settings.dmaCopies();
  }

  /** A queue is no longer empty. */
  void onCall(DmaRing queue) {
    core.counters.driverCalls++;
    ring.add(queue);
  }

  /** The NIC ends: the requests of these queues end, even if their calls to the driver are not handled any more. */
  void takeUp(List<DmaRing> queues) {
    queues.stream().filter(queue -> !queue.isIdle() && !ring.contains(queue)).forEach(ring::add);
  }

  /** The fabric has ended and returns no bytes any more: requests that wait for that fail. */
  void abandon() {
    for (DmaRequest request : List.copyOf(inFlight)) {
      if (!request.isConfirmed) {
        fail(request, request.status == Status.OK ? Status.INVALID : request.status);
      }
      left(request);
    }
  }

  /** The next request, or null if none may begin. */
  DmaRequest next() {
    for (int left = ring.size(); left > 0; left--) {
      DmaRing queue = ring.peek();
      if (queue.current == null && inFlight.size() < inFlightMax && queue.mayTake()) {
        queue.current = queue.take();
        if (queue.current == null) {
          ring.poll(); // The next request of the queue calls the driver again.
          continue;
        }
        inFlight.add(queue.current);
        queue.current.readyAtNs = setupNs == 0 ? Long.MIN_VALUE : nic.nowNs() + setupNs;
        if (setupNs > 0) {
          core.pumpAt(queue.current.readyAtNs);
        }
      }
      if (queue.current != null && (setupNs == 0 || queue.current.readyAtNs <= nic.nowNs())) {
        return queue.current;
      }
      ring.add(ring.poll());
    }
    return null;
  }

  /** Sends one burst of the request that {@link #next} returned, or ends it if its mapping has failed. The caller has checked that it may send. */
  void sendBurst() {
    DmaRing queue = ring.poll();
    ring.add(queue);
    DmaRequest request = queue.current;
    MappedAperture target = request.target;
    request.bursts++; // Keeps the request from leaving during this call, even if the bytes return at once.
    if (target.status() != Status.OK) {
      fail(request, target.status());
    } else if (!request.source.scope().isAlive()) {
      fail(request, Status.INVALID);
    } else {
      sendNext(request, target);
    }
    if (request.allSent()) {
      queue.current = null;
    }
    release(request);
  }

  private void sendNext(DmaRequest request, MappedAperture target) {
    int count = Math.min(core.burstMaxTo(target.lid), request.length - request.sent);
    long offset = request.targetOffset + request.sent;
    boolean more = request.sent + count < request.length;
    Runnable left = () -> onLeft(request, offset, count, more);
    Payload payload = payload(request, count, left);
    if (payload == null) {
      fail(request, Status.INVALID);
      return;
    }
    request.sent += count;
    request.bursts++;
    Flows.Outgoing flow = core.flows.to(target.lid);
    boolean isConfirmable = !more && !target.isMulticast();
    core.transmitWrite(target, offset, payload, more, isConfirmable && !flow.asking);
    if (isConfirmable) {
      request.end = flow.position;
      flow.unconfirmed.add(request);
    }
    request.isConfirmed |= target.isMulticast(); // The members of a group do not answer.
    if (copies) {
      core.port().whenRead(left);
    }
  }

  private static void fail(DmaRequest request, Status status) {
    request.status = status;
    request.isConfirmed = true;
  }

  /**
   * The next bytes of a request; null if they are gone. Checked before they leave, because a burst that is lost while it is placed breaks the flow to
   * that host for all mappings.
   */
  private Payload payload(DmaRequest request, int count, Runnable left) {
    Payload source = Payload.of(request.source, request.sourceOffset + request.sent, count, left);
    if (!copies) {
      return source.isPresent() ? source : null;
    }
    MemorySegment bytes = MemorySegment.ofArray(new byte[count]);
    try {
      source.copyTo(bytes, 0, core.counters.copies);
    } catch (IllegalStateException | PayloadLostException gone) {
      return null;
    }
    return Payload.of(bytes, 0, count);
  }

  /** The bytes of a burst have left and are no longer needed. */
  private void onLeft(DmaRequest request, long offset, int count, boolean more) {
    core.written(request.target, offset, count, more);
    release(request);
  }

  private void release(DmaRequest request) {
    if (--request.bursts == 0 && request.allSent()) {
      left(request);
    }
  }

  /** Runs once: the bytes of a copied burst may have left while it was being sent. */
  private void left(DmaRequest request) {
    if (request.hasLeft) {
      return;
    }
    request.hasLeft = true;
    core.counters.interrupts++;
    nic.run(ReceiveContext.ISR, () -> {
      inFlight.remove(request);
      request.isTaken = true;
      boolean isOver = endIfOver(request); // Before handlers run, because a handler may end the NIC's actor, and later requests wait for this one.
      request.queue.tellSent();
      if (isOver) {
        request.queue.tellDone();
      }
      core.pumpSoon();
    });
  }

  /** The other NIC has confirmed a part of a flow. */
  void confirmed(Flows.Outgoing flow) {
    while (!flow.unconfirmed.isEmpty() && flow.confirmed - flow.unconfirmed.peek().end >= 0) {
      DmaRequest request = flow.unconfirmed.poll();
      if (request.target.hasFailed()) { // This request may be the refused one.
        request.status = request.target.status();
      }
      confirm(request);
    }
  }

  /** The flow has failed: requests that were sent and not confirmed fail, too. */
  void failed(Flows.Outgoing flow, Status status) {
    while (!flow.unconfirmed.isEmpty()) {
      DmaRequest request = flow.unconfirmed.poll();
      request.status = status;
      confirm(request);
    }
  }

  private void confirm(DmaRequest request) {
    request.isConfirmed = true;
    if (!endIfOver(request)) {
      return;
    }
    DmaRing queue = request.queue;
    if (!queue.isToldOf()) {
      queue.tellDone();
    } else if (!queue.tellingDone) {
      queue.tellingDone = true;
      core.counters.interrupts++;
      nic.run(ReceiveContext.ISR, () -> {
        queue.tellingDone = false;
        queue.tellDone();
        core.pumpSoon();
      });
    }
  }

  private static boolean endIfOver(DmaRequest request) {
    request.isDone = request.isConfirmed && request.isTaken;
    return request.isDone;
  }
}
