package dev.weft.tripwire;

import dev.weft.fabric.packet.Payload;
import dev.weft.hca.ReceiveContext;
import java.util.ArrayDeque;

/**
 * The DMA engine and the driver's part of it: takes requests from the queues that have some, round-robin, and cuts them into bursts. A
 * request is done when its bytes are needed no more; its interrupt starts the next. Hardware thread. Bound: queues are in the ring at
 * most once, and {@code inFlightMax} requests are taken.
 */
final class DmaEngine {
  private final Nic nic;
  private final NicCore core;
  private final int burstMax;
  private final int inFlightMax;
  private final ArrayDeque<DmaQueue> ready = new ArrayDeque<>();
  private final ArrayDeque<DmaRequest> sending = new ArrayDeque<>();
  private int inFlight;

  DmaEngine(Nic nic, NicCore core, int burstMax, int inFlightMax) {
    this.nic = nic;
    this.core = core;
    this.burstMax = burstMax;
    this.inFlightMax = inFlightMax;
  }

  /** The queue is not empty any more. */
  void onCall(DmaQueue queue) {
    core.counters.driverCalls++;
    ready.add(queue);
    start();
  }

  private void start() {
    while (inFlight < inFlightMax && !ready.isEmpty()) {
      DmaQueue queue = ready.poll();
      DmaRequest request = queue.take();
      if (request != null) {
        ready.add(queue);
        inFlight++;
        sending.add(request);
      }
    }
  }

  boolean hasWork() {
    return !sending.isEmpty();
  }

  /** The request whose turn it is. */
  DmaRequest current() {
    return sending.peek();
  }

  /** Sends one burst of the current request; the caller has made sure that it may. */
  void sendBurst() {
    DmaRequest request = sending.poll();
    RemoteAperture target = request.target;
    if (target.status() != Status.OK) {
      request.status = target.status();
    } else if (!request.source.scope().isAlive()) {
      request.status = Status.INVALID;
    } else {
      int count = Math.min(burstMax, request.length - request.sent);
      long offset = request.targetOffset + request.sent;
      boolean more = request.sent + count < request.length;
      Payload payload = Payload.of(request.source, request.sourceOffset + request.sent, count,
          () -> onReleased(request, offset, count, more));
      request.sent += count;
      request.bursts++;
      core.transmitWrite(target, offset, payload, more, false);
    }
    if (!request.allSent()) {
      sending.add(request);
    } else if (request.bursts == 0) {
      done(request);
    }
  }

  /** The bytes of a burst are not needed any more: they have left. */
  private void onReleased(DmaRequest request, long offset, int count, boolean more) {
    request.bursts--;
    core.written(request.target, offset, count, more);
    if (request.bursts == 0 && request.allSent()) {
      done(request);
    }
  }

  private void done(DmaRequest request) {
    core.counters.interrupts++;
    nic.run(ReceiveContext.ISR, () -> {
      inFlight--;
      request.queue.completed(request);
      start();
      core.pumpSoon();
    });
  }
}
