package dev.weft.tripwire.via;

import dev.weft.tripwire.connect.Undo;
import dev.weft.tripwire.message.QueueReceiver;
import dev.weft.tripwire.message.QueueSender;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Tripwire;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * The receiving half of a connected VI: offers posted receives by cookies, and completes them. Hardware thread. Bound: the depth of the queue, times
 * the segments for cookies on their way.
 */
final class ViReceiver {
  /** A receive that the other side may fill, or will be offered. */
  private static final class Offered {
    final ViaDescriptor descriptor;
    final int capacity;
    ViaStatus fault;
    final LocalAperture[] apertures;
    int told;

    Offered(ViaDescriptor descriptor, ViaStatus fault, Nic nic) {
      this.descriptor = descriptor;
      this.fault = fault;
      capacity = (int) descriptor.requestedBytes();
      apertures = new LocalAperture[fault == ViaStatus.SUCCESS ? descriptor.segments().size() : 0];
      try {
        export(nic);
      } catch (NicException exhausted) {
        this.fault = ViaStatus.TRANSPORT_ERROR;
        takeBack();
      }
    }

    private void export(Nic nic) {
      for (int i = 0; i < apertures.length; i++) {
        ViaDescriptor.Segment segment = descriptor.segments().get(i);
        if (segment.length() > 0) {
          apertures[i] = nic.export(segment.memory().segment().asSlice(segment.offset(), segment.length()));
        }
      }
    }

    void takeBack() {
      for (LocalAperture aperture : apertures) {
        if (aperture != null) {
          aperture.revoke();
        }
      }
    }
  }

  private final Nic nic;
  private final WorkQueue queue;
  private final DescriptorRules rules;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment slot = arena.allocate(ViWire.OFFER_BYTES, 8);
  private final LocalAperture nothing;
  private final QueueSender offers;
  private final QueueReceiver completions;
  /** Receives in the order in which they were posted. */
  private final ArrayDeque<Offered> offered = new ArrayDeque<>();
  /** Receives that have not been offered completely. */
  private final ArrayDeque<Offered> toTell = new ArrayDeque<>();

  ViReceiver(Nic nic, ViaSettings settings, WorkQueue queue, DescriptorRules rules) {
    this.nic = nic;
    this.queue = queue;
    this.rules = rules;
    Undo undo = new Undo();
    undo.add(arena, Arena::close);
    try {
      offers = undo.add(new QueueSender(nic, ViWire.OFFER_BYTES, settings.cookieSlots()), QueueSender::close);
      completions = undo.add(new QueueReceiver(nic, ViWire.COMPLETION_BYTES, settings.completionSlots()), QueueReceiver::close);
      nothing = nic.export(arena.allocate(8, 8));
    } catch (NicException exhausted) {
      undo.run();
      throw exhausted;
    }
  }

  QueueSender offers() {
    return offers;
  }

  QueueReceiver completions() {
    return completions;
  }

  void add(ViaDescriptor descriptor) {
    Offered next = new Offered(descriptor, rules.check(descriptor, true), nic);
    offered.add(next);
    toTell.add(next);
  }

  /** Offers receives; returns true if some found no room. */
  boolean tell() {
    failIfNextIsBad();
    while (!toTell.isEmpty() && toTell.peek().fault == ViaStatus.SUCCESS) {
      Offered next = toTell.peek();
      int count = Math.max(1, next.apertures.length); // A receive without bytes is offered as well.
      while (next.told < count) {
        LocalAperture aperture = next.apertures.length == 0 ? null : next.apertures[next.told];
        ViWire.putOffer(slot, (aperture == null ? nothing : aperture).descriptor(Rights.WRITE), aperture == null ? 0
            : (int) aperture.length(), next.told == count - 1);
        if (!offers.tryEnqueue(slot, 0)) {
          return true;
        }
        next.told++;
      }
      toTell.poll();
    }
    boolean told = offers.flush();
    return !completions.flush() || !told;
  }

  /** A bad receive completes after those before it. */
  private void failIfNextIsBad() {
    Offered oldest = offered.peek();
    if (oldest != null && oldest.fault != ViaStatus.SUCCESS) {
      offered.poll();
      queue.complete(oldest.descriptor, oldest.fault, 0, null, false);
      throw new ViFailure(ViaErrorHandler.Code.POST_DESC, "a receive had " + oldest.fault);
    }
  }

  /** Completes receives that have been filled. */
  void receive() {
    Tripwire ready = completions.ready();
    if (ready.take()) {
      ready.arm();
    }
    for (MemorySegment next = completions.peek(); next != null; next = completions.peek()) {
      int code = ViWire.code(next);
      int moved = ViWire.moved(next);
      Integer immediate = ViWire.immediate(next);
      completions.release();
      if (code == ViWire.GOODBYE) {
        throw new ViFailure(ViaErrorHandler.Code.CONN_LOST, "the other side has disconnected");
      }
      if (code == ViWire.NO_RECEIVE) {
        throw new ViFailure(ViaErrorHandler.Code.RECVQ_EMPTY, "the other side had something to send and met no receive");
      }
      complete(code, moved, immediate);
    }
  }

  private void complete(int code, int moved, Integer immediate) {
    Offered oldest = offered.peek();
    boolean rdma = code == ViWire.RDMA_WRITTEN;
    boolean sent = code == ViWire.SENT;
    if (oldest == null || oldest == toTell.peek() || moved < 0 || (sent && moved > oldest.capacity)) {
      throw new ViFailure(ViaErrorHandler.Code.CONN_LOST, "the other side says that it filled a receive that it was not offered");
    }
    offered.poll();
    oldest.takeBack();
    queue.complete(oldest.descriptor, sent || rdma ? ViaStatus.SUCCESS : ViaStatus.LENGTH_ERROR, sent || rdma ? moved : 0, immediate, rdma);
    if (!sent && !rdma) {
      throw new ViFailure(ViaErrorHandler.Code.POST_DESC, "a message of " + moved + " bytes met a receive of " + oldest.capacity);
    }
  }

  /** Revokes all receives, and completes them with this status. */
  void close(ViaStatus status) {
    for (Offered each : offered) {
      each.takeBack();
      queue.complete(each.descriptor, status, 0, null, false);
    }
    offered.clear();
    toTell.clear();
    offers.close();
    completions.close();
    nothing.revoke();
    arena.close();
  }
}
