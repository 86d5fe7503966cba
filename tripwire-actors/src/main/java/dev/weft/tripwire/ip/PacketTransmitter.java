package dev.weft.tripwire.ip;

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
import java.util.function.Consumer;

/**
 * The transmitting end of a link. A packet goes by DMA into the buffer of the oldest cookie; when its bytes have left, a completion follows on the
 * same flow, so it arrives after them. Hardware thread. Bound: as many packets in flight as there are cookies.
 */
final class PacketTransmitter {
  private record Sent(PacketBuffer packet, int buffer, int length) {}

  private final Nic nic;
  private final Arena arena = Arena.ofShared();
  private final int slots;
  private final int mtuBytes;
  private final Endpoint endpoint;
  private final QueueReceiver cookies;
  private final QueueSender completions;
  private final Consumer<PacketBuffer> done;
  private final Runnable wake;
  private final MemorySegment slot = arena.allocate(Wire.COMPLETION_BYTES, 8);
  /** By buffer of the receiver: its mapping, made when its cookie first arrives. */
  private final RemoteAperture[] targets;
  private final ArrayDeque<Sent> underWay = new ArrayDeque<>();
  /** Packets whose bytes have left, but whose completion found no room. */
  private final ArrayDeque<Sent> left = new ArrayDeque<>();
  /** Why a completion could not be sent. */
  private Status failure = Status.OK;
  private boolean closed;

  /**
   * A transmitter.
   *
   * @param done takes each packet back when its bytes are no longer needed
   * @param wake called when {@link #trySend} or {@link #flush} may succeed again
   */
  PacketTransmitter(Nic nic, IpSettings settings, Consumer<PacketBuffer> done, Runnable wake) {
    this.nic = nic;
    this.done = done;
    this.wake = wake;
    slots = settings.buffers() + 1;
    mtuBytes = settings.mtuBytes();
    targets = new RemoteAperture[slots];
    Undo undo = new Undo();
    undo.add(arena, Arena::close);
    try {
      endpoint = undo.add(nic.endpoint(0), Endpoint::close);
      cookies = undo.add(new QueueReceiver(nic, Wire.COOKIE_BYTES, slots), QueueReceiver::close);
      completions = new QueueSender(nic, Wire.COMPLETION_BYTES, slots);
    } catch (NicException exhausted) {
      undo.run();
      throw exhausted;
    }
    endpoint.dma().onSent((ignored, status) -> onLeft(status));
  }

  Wire.Call call() {
    return new Wire.Call(slots, mtuBytes, cookies.descriptor(), completions.descriptor());
  }

  void connect(Wire.Answer answer) {
    cookies.connect(answer.cookies());
    completions.connect(answer.completions());
  }

  /** Fires when cookies have arrived; the caller arms it. */
  Tripwire ready() {
    return cookies.ready();
  }

  /**
   * Sends a packet; returns false if there is no cookie for it, or no room in the DMA queue.
   *
   * @throws NicException INVALID if the receiver violates the protocol; another status if the link has failed
   */
  boolean trySend(PacketBuffer packet) {
    MemorySegment cookie = cookies.peek();
    if (cookie == null) {
      return false;
    }
    int buffer = Wire.cookieBuffer(cookie);
    RemoteAperture target = target(buffer, Wire.cookie(cookie));
    DmaQueue dma = endpoint.dma();
    if (target.length() < packet.length()) {
      throw new NicException(Status.INVALID, "a buffer of " + target.length() + " bytes is offered for packets of up to " + mtuBytes);
    }
    underWay.add(new Sent(packet, buffer, packet.length()));
    if (!dma.write(target, 0, packet.memory(), 0, packet.length(), 0)) {
      underWay.removeLast();
      return false;
    }
    cookies.release();
    return true;
  }

  private RemoteAperture target(int buffer, Descriptor cookie) {
    if (buffer < 0 || buffer >= targets.length) {
      throw new NicException(Status.INVALID, "the receiver offers buffer " + buffer + " of " + targets.length);
    }
    RemoteAperture target = targets[buffer];
    if (target == null || !target.descriptor().equals(cookie)) {
      if (target != null) {
        target.unmap();
      }
      target = nic.map(cookie);
      targets[buffer] = target;
    }
    return target;
  }

  private void onLeft(Status status) {
    Sent sent = underWay.poll();
    done.accept(sent.packet());
    if (closed) {
      finish();
    } else if (status == Status.OK) {
      left.add(sent);
      complete();
    }
  }

  /** The woken code finds by itself that the link has failed. */
  private void complete() {
    try {
      if (flush()) {
        wake.run();
      }
    } catch (NicException lost) {
      failure = lost.status();
      wake.run();
    }
  }

  /** Sends completions that found no room; returns true if some are left. */
  boolean flush() {
    while (!left.isEmpty()) {
      Sent sent = left.peek();
      Wire.putCompletion(slot, sent.buffer(), sent.length());
      if (!completions.tryEnqueue(slot, 0)) {
        break;
      }
      left.poll();
    }
    boolean cookiesTold = cookies.flush();
    return !completions.flush() || !cookiesTold || !left.isEmpty();
  }

  /** OK, or why a packet or its completion could not be written. */
  Status status() {
    if (failure != Status.OK) {
      return failure;
    }
    for (RemoteAperture target : targets) {
      if (target != null && target.status() != Status.OK) {
        return target.status();
      }
    }
    return Status.OK;
  }

  int underWay() {
    return underWay.size();
  }

  private void finish() {
    if (underWay.isEmpty()) {
      endpoint.close();
      arena.close();
    }
  }

  /** Stops sending; packets in flight come back when the NIC has finished with them. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    cookies.close();
    completions.close();
    for (RemoteAperture target : targets) {
      if (target != null) {
        target.unmap();
      }
    }
    finish();
  }
}
