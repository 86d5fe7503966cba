package dev.weft.tripwire.via;

import dev.weft.tripwire.connect.Undo;
import dev.weft.tripwire.message.QueueReceiver;
import dev.weft.tripwire.message.QueueSender;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The sending half of a connected VI. It cuts messages at the edges of local and remote segments, and sends the pieces by DMA. When all have left, it
 * notifies the other side and completes the descriptor. Hardware thread. Bound: the depth of the queue.
 */
final class ViSender {
  /** Bytes of one local segment for one remote segment. */
  private record Piece(MemorySegment source, long sourceOffset, RemoteAperture target, long targetOffset, int length) {}

  /** A send that has begun. */
  private static final class Sending {
    final ViaDescriptor descriptor;
    final ArrayDeque<Piece> toSend = new ArrayDeque<>();
    final List<RemoteAperture> targets;
    final long capacity;
    int underWay;

    Sending(ViaDescriptor descriptor, List<RemoteAperture> targets) {
      this.descriptor = descriptor;
      this.targets = targets;
      long sum = 0;
      for (RemoteAperture target : targets) {
        sum += target.length();
      }
      capacity = sum;
    }

    boolean isRdma() {
      return descriptor.operation() == ViaDescriptor.Operation.RDMA_WRITE;
    }

    boolean fits() {
      return isRdma() || descriptor.requestedBytes() <= capacity;
    }
  }

  private final Nic nic;
  private final ViaSettings settings;
  private final WorkQueue queue;
  private final DescriptorRules rules;
  private final Runnable wake;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment slot = arena.allocate(ViWire.COMPLETION_BYTES, 8);
  private final Endpoint endpoint;
  private final QueueReceiver offers;
  private final QueueSender completions;
  /** Posted, but not begun. */
  private final ArrayDeque<ViaDescriptor> waiting = new ArrayDeque<>();
  private final ArrayDeque<Sending> begun = new ArrayDeque<>();
  /**
   * Targets of RDMA writes, least recently used first. Mappings stay for a while, because a refusal comes late. There are as many as descriptors in
   * flight, so that none of those is dropped.
   */
  private final Map<Descriptor, RemoteAperture> rdmaTargets = new LinkedHashMap<>(16, 0.75f, true);
  /** Segments so far of the offer that is being read. */
  private List<RemoteAperture> offer = new ArrayList<>();
  private boolean offerIsWhole;
  private long hungrySinceNs = Long.MAX_VALUE;
  private int dmaUnderWay;
  private Status dmaStatus = Status.OK;
  private boolean closed;

  ViSender(Nic nic, ViaSettings settings, WorkQueue queue, DescriptorRules rules, Runnable wake) {
    this.nic = nic;
    this.settings = settings;
    this.queue = queue;
    this.rules = rules;
    this.wake = wake;
    Undo undo = new Undo();
    undo.add(arena, Arena::close);
    try {
      endpoint = undo.add(nic.endpoint(0), Endpoint::close);
      offers = undo.add(new QueueReceiver(nic, ViWire.OFFER_BYTES, settings.cookieSlots()), QueueReceiver::close);
      completions = new QueueSender(nic, ViWire.COMPLETION_BYTES, settings.completionSlots());
    } catch (NicException exhausted) {
      undo.run();
      throw exhausted;
    }
    endpoint.dma().onSent((ignored, status) -> onLeft(status));
  }

  QueueReceiver offers() {
    return offers;
  }

  QueueSender completions() {
    return completions;
  }

  void add(ViaDescriptor descriptor) {
    waiting.add(descriptor);
  }

  /** Continues as far as possible; returns the latest time of the next call. */
  long send(long nowNs) {
    Tripwire ready = offers.ready();
    if (ready.take()) {
      ready.arm();
    }
    if (status() != Status.OK) {
      throw new ViFailure(ViaErrorHandler.Code.RDMAW_PROT, "the other host refused a write: " + status());
    }
    boolean retired;
    int before;
    do { // A send that waits for earlier ones continues when they are done.
      beginAll(nowNs);
      issue();
      before = begun.size();
      retired = retire();
    } while (before > 0 && begun.isEmpty() && !waiting.isEmpty());
    boolean offersTold = offers.flush();
    boolean told = completions.flush() && offersTold && retired;
    long deadlineNs = hungrySinceNs == Long.MAX_VALUE ? Long.MAX_VALUE : hungrySinceNs + settings.receiveTimeoutNs();
    return told ? deadlineNs : Math.min(deadlineNs, nowNs + ViaEngine.SOON_NS);
  }

  private void beginAll(long nowNs) {
    boolean begins = true;
    while (begins) {
      begins = !waiting.isEmpty() && begin(waiting.peek(), nowNs);
      if (begins) {
        waiting.poll();
      }
    }
  }

  private void readOffer() {
    while (!offerIsWhole) {
      MemorySegment next = offers.peek();
      if (next == null) {
        return;
      }
      if (offer.size() == settings.segmentsMax()) {
        throw new ViFailure(ViaErrorHandler.Code.CONN_LOST, "the other side offers a receive of more than " + offer.size() + " segments");
      }
      offerIsWhole = ViWire.isLast(next);
      int length = ViWire.length(next);
      if (length != 0) {
        offer.add(nic.map(ViWire.cookie(next)));
      }
      offers.release();
    }
  }

  private boolean begin(ViaDescriptor descriptor, long nowNs) {
    ViaStatus fault = rules.check(descriptor, false);
    if (fault != ViaStatus.SUCCESS) {
      if (!begun.isEmpty()) {
        return false; // Earlier descriptors complete first.
      }
      waiting.poll();
      queue.complete(descriptor, fault, 0, null, false);
      throw new ViFailure(ViaErrorHandler.Code.POST_DESC, "a send had " + fault);
    }
    List<RemoteAperture> targets = new ArrayList<>();
    if (descriptor.takesReceive()) {
      readOffer();
      if (!offerIsWhole) {
        return starve(nowNs);
      }
      hungrySinceNs = Long.MAX_VALUE;
      targets = offer;
      offer = new ArrayList<>();
      offerIsWhole = false;
    }
    Sending sending = new Sending(descriptor, targets);
    begun.add(sending);
    if (sending.isRdma()) {
      cut(sending, List.of(rdmaTarget(descriptor.remote())), descriptor.remoteOffset());
    } else if (sending.fits()) {
      cut(sending, targets, 0);
    }
    return true;
  }

  private RemoteAperture rdmaTarget(Descriptor cookie) {
    RemoteAperture target = rdmaTargets.get(cookie);
    if (target == null) {
      target = nic.map(cookie);
      rdmaTargets.put(cookie, target);
      if (rdmaTargets.size() > settings.queueDepth()) {
        Iterator<RemoteAperture> oldest = rdmaTargets.values().iterator();
        oldest.next().unmap();
        oldest.remove();
      }
    }
    return target;
  }

  private boolean starve(long nowNs) {
    hungrySinceNs = Math.min(hungrySinceNs, nowNs);
    if (nowNs - hungrySinceNs < settings.receiveTimeoutNs()) {
      return false;
    }
    if (begun.isEmpty()) { // Earlier sends are reported first.
      say(ViWire.NO_RECEIVE, 0, null);
      queue.complete(waiting.poll(), ViaStatus.TRANSPORT_ERROR, 0, null, false);
      throw new ViFailure(ViaErrorHandler.Code.RECVQ_EMPTY, "no receive was posted within " + settings.receiveTimeoutNs() + " ns");
    }
    return false;
  }

  /** Cuts pieces from local segments for remote ones, starting at an offset of the first remote segment. */
  private static void cut(Sending sending, List<RemoteAperture> targets, long firstOffset) {
    int target = 0;
    long at = firstOffset;
    for (ViaDescriptor.Segment segment : sending.descriptor.segments()) {
      int done = 0;
      while (done < segment.length()) {
        RemoteAperture there = targets.get(target);
        int length = (int) Math.min(segment.length() - done, there.length() - at);
        if (length > 0) {
          sending.toSend.add(new Piece(segment.memory().segment(), segment.offset() + done, there, at, length));
        }
        done += length;
        at += length;
        if (at == there.length()) {
          target++;
          at = 0;
        }
      }
    }
  }

  private void issue() {
    DmaQueue dma = endpoint.dma();
    for (Sending sending : begun) {
      while (!sending.toSend.isEmpty()) {
        Piece piece = sending.toSend.peek();
        if (!dma.write(piece.target(), piece.targetOffset(), piece.source(), piece.sourceOffset(), piece.length(), 0)) {
          return; // DMA requests in flight will wake this sender.
        }
        sending.toSend.poll();
        sending.underWay++;
        dmaUnderWay++;
      }
    }
  }

  private void onLeft(Status status) {
    dmaUnderWay--;
    if (closed) {
      finish();
      return;
    }
    if (status != Status.OK) {
      dmaStatus = status;
    }
    for (Sending sending : begun) {
      if (sending.underWay > 0) {
        sending.underWay--;
        break;
      }
    }
    wake.run();
  }

  /** Reports and completes sends that have left; returns false if there is no room. */
  private boolean retire() {
    while (!begun.isEmpty()) {
      Sending first = begun.peek();
      if (first.underWay > 0 || !first.toSend.isEmpty()) {
        return true;
      }
      ViaDescriptor descriptor = first.descriptor;
      int length = (int) descriptor.requestedBytes();
      boolean fits = first.fits();
      int code = first.isRdma() ? ViWire.RDMA_WRITTEN : fits ? ViWire.SENT : ViWire.TOO_LONG;
      if (descriptor.takesReceive() && !say(code, length, descriptor.immediateToSend())) {
        return false;
      }
      begun.poll();
      first.targets.forEach(RemoteAperture::unmap);
      queue.complete(descriptor, fits ? ViaStatus.SUCCESS : ViaStatus.LENGTH_ERROR, fits ? length : 0, null, false);
      if (!fits) {
        throw new ViFailure(ViaErrorHandler.Code.POST_DESC, "a message of " + length + " bytes met a receive of " + first.capacity);
      }
    }
    return true;
  }

  private boolean say(int code, int length, Integer immediate) {
    ViWire.putCompletion(slot, code, length, immediate);
    return completions.tryEnqueue(slot, 0);
  }

  /** Tells the other side that nothing follows; if there is no room, the other side notices at its next write. */
  void sayGoodbye() {
    try {
      say(ViWire.GOODBYE, 0, null);
    } catch (NicException gone) {
      dmaStatus = gone.status(); // The connection is gone, too.
    }
  }

  /** OK, or why a write was refused. */
  Status status() {
    for (RemoteAperture target : rdmaTargets.values()) {
      if (target.status() != Status.OK) {
        return target.status();
      }
    }
    return dmaStatus;
  }

  private void finish() {
    if (dmaUnderWay == 0) {
      endpoint.close();
      arena.close();
    }
  }

  /** Stops sending; sends that have begun complete with this status. Their bytes may be read while DMA is in flight. */
  void close(ViaStatus status) {
    closed = true;
    for (Sending sending : begun) {
      sending.targets.forEach(RemoteAperture::unmap);
      queue.complete(sending.descriptor, status, 0, null, false);
    }
    for (ViaDescriptor descriptor : waiting) {
      queue.complete(descriptor, ViaStatus.DESCRIPTOR_FLUSHED, 0, null, false);
    }
    begun.clear();
    waiting.clear();
    offer.forEach(RemoteAperture::unmap);
    rdmaTargets.values().forEach(RemoteAperture::unmap);
    offers.close();
    completions.close();
    finish();
  }
}
