package dev.weft.tripwire;

import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.hca.verbs.ReceiveContext;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The DMA engine and the driver's part of it: takes requests from the queues that have some, round-robin, and cuts them into bursts. When
 * the bytes of a request are needed no more, the engine may begin another; the interrupt of that starts it. The request is done when,
 * beyond that, the other NIC has said that all of it is there: the last burst asks, or if that NIC was asked and has not answered, {@link
 * Hello} asks after the answer. Hardware thread. Bound: queues are in the ring at most once, {@code inFlightMax} requests have bytes that
 * are needed, and each queue has as many that are not done as it holds.
 */
final class DmaEngine {
  private final Nic nic;
  private final NicCore core;
  private final int inFlightMax;
  private final long setupNs;
  private final boolean copies;
  /** Queues that are not empty, or have a request that is being sent; each once. */
  private final ArrayDeque<DmaQueue> ring = new ArrayDeque<>();
  /** Requests that have begun, and whose bytes are needed; nearly always the oldest is the first to go. */
  private final ArrayDeque<DmaRequest> inFlight = new ArrayDeque<>();

  DmaEngine(Nic nic, NicCore core, NicSettings settings) {
    this.nic = nic;
    this.core = core;
    inFlightMax = settings.dmaInFlightMax();
    setupNs = settings.dmaSetupNs();
    copies = settings.dmaCopies();
  }

  /** The queue is not empty any more. */
  void onCall(DmaQueue queue) {
    core.counters.driverCalls++;
    ring.add(queue);
  }

  /** The NIC ends: what queues hold is given back, also if their call to the driver is not heard any more. */
  void takeUp(List<DmaQueue> queues) {
    queues.stream().filter(queue -> !queue.isIdle() && !ring.contains(queue)).forEach(ring::add);
  }

  /** The fabric has ended, and gives back no bytes any more: requests that wait for that have failed. */
  void abandon() {
    for (DmaRequest request : List.copyOf(inFlight)) {
      if (!request.isConfirmed) {
        fail(request, request.status == Status.OK ? Status.INVALID : request.status);
      }
      left(request);
    }
  }

  /** The request whose turn it is, or null if there is none that may be begun. */
  DmaRequest next() {
    for (int left = ring.size(); left > 0; left--) {
      DmaQueue queue = ring.peek();
      if (queue.current == null && inFlight.size() < inFlightMax && queue.mayTake()) {
        queue.current = queue.take();
        if (queue.current == null) {
          ring.poll(); // Its next request calls again.
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

  /** Sends one burst of the request that {@link #next} answered, which the caller has made sure it may; or ends it, if its mapping has failed. */
  void sendBurst() {
    DmaQueue queue = ring.poll();
    ring.add(queue);
    DmaRequest request = queue.current;
    RemoteAperture target = request.target;
    request.bursts++; // It has not left while it is here, even if the bytes come back at once.
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

  private void sendNext(DmaRequest request, RemoteAperture target) {
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
   * The next bytes of a request; null if they are gone. It is asked before they leave: a burst that is lost where it is placed breaks the flow
   * to that host, for all.
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

  /** The bytes of a burst are not needed any more: they have left. */
  private void onLeft(DmaRequest request, long offset, int count, boolean more) {
    core.written(request.target, offset, count, more);
    release(request);
  }

  private void release(DmaRequest request) {
    if (--request.bursts == 0 && request.allSent()) {
      left(request);
    }
  }

  /** Once: the bytes of a copied burst may have left while it was being sent. */
  private void left(DmaRequest request) {
    if (request.hasLeft) {
      return;
    }
    request.hasLeft = true;
    core.counters.interrupts++;
    nic.run(ReceiveContext.ISR, () -> {
      inFlight.remove(request);
      request.isTaken = true;
      boolean isOver = endIfOver(request); // Also where who is told ends the NIC's actor: those behind it wait for it.
      request.queue.tellSent();
      if (isOver) {
        request.queue.tellDone();
      }
      core.pumpSoon();
    });
  }

  /** The other NIC has said how much of a flow it has. */
  void confirmed(Flows.Outgoing flow) {
    while (!flow.unconfirmed.isEmpty() && flow.confirmed - flow.unconfirmed.peek().end >= 0) {
      DmaRequest request = flow.unconfirmed.poll();
      if (request.target.hasFailed()) { // It may be this that was refused.
        request.status = request.target.status();
      }
      confirm(request);
    }
  }

  /** Nothing that was sent on the flow and is not confirmed can be said to have arrived. */
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
    DmaQueue queue = request.queue;
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
