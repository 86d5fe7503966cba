package dev.weft.tripwire.ip;

import dev.weft.tripwire.connect.Undo;
import dev.weft.tripwire.message.QueueReceiver;
import dev.weft.tripwire.message.QueueSender;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Tripwire;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The receiving end of a link: offers its buffers by cookies, and receives completions for packets. One thread. Every buffer is an aperture of its
 * own, so a cookie gives access to one buffer only.
 */
final class PacketReceiver {
  /** A packet in its buffer, valid until it is released. */
  record Packet(PacketReceiver from, int buffer, MemorySegment bytes) {}

  private final Arena arena = Arena.ofShared();
  private final BufferLedger ledger;
  private final MemorySegment[] buffers;
  private final LocalAperture[] apertures;
  private final Descriptor[] offers;
  private final QueueSender cookies;
  private final QueueReceiver completions;
  private final MemorySegment slot = arena.allocate(Wire.COOKIE_BYTES, 8);
  private boolean closed;

  /** A receiver for a transmitter that has called. It offers {@code bufferCount} buffers, but not more than fit into the queue. */
  PacketReceiver(Nic nic, Wire.Call call, int bufferCount) {
    int count = Math.min(bufferCount, call.slots() - 1);
    ledger = new BufferLedger(count, call.mtuBytes());
    buffers = new MemorySegment[count];
    apertures = new LocalAperture[count];
    offers = new Descriptor[count];
    Undo undo = new Undo();
    undo.add(arena, Arena::close);
    try {
      for (int i = 0; i < count; i++) {
        buffers[i] = arena.allocate(call.mtuBytes(), 64);
        apertures[i] = undo.add(nic.export(buffers[i]), LocalAperture::revoke);
        offers[i] = apertures[i].descriptor(Rights.WRITE);
      }
      cookies = undo.add(new QueueSender(nic, Wire.COOKIE_BYTES, call.slots()), QueueSender::close);
      completions = undo.add(new QueueReceiver(nic, Wire.COMPLETION_BYTES, call.slots()), QueueReceiver::close);
      cookies.connect(call.cookies());
      completions.connect(call.completions());
    } catch (NicException exhausted) {
      undo.run();
      throw exhausted;
    }
  }

  Wire.Answer answer() {
    return new Wire.Answer(cookies.descriptor(), completions.descriptor());
  }

  /** Fires when packets have arrived; the caller arms it. */
  Tripwire ready() {
    return completions.ready();
  }

  /** Offers idle buffers; returns true if some offers or words found no room. */
  boolean offer() {
    for (int buffer = ledger.nextIdle(); buffer >= 0; buffer = ledger.nextIdle()) {
      Wire.putCookie(slot, offers[buffer], buffer);
      if (!cookies.tryEnqueue(slot, 0)) {
        break;
      }
      ledger.offered();
    }
    boolean cookiesTold = cookies.flush();
    return !completions.flush() || !cookiesTold || ledger.nextIdle() >= 0;
  }

  /**
   * The next packet, or null.
   *
   * @throws dev.weft.tripwire.nic.NicException INVALID if the transmitter violates the protocol
   */
  Packet poll() {
    MemorySegment completion = completions.peek();
    if (completion == null) {
      return null;
    }
    int buffer = Wire.completionBuffer(completion);
    int length = Wire.completionLength(completion);
    ledger.filled(buffer, length);
    completions.release();
    return new Packet(this, buffer, buffers[buffer].asSlice(0, length));
  }

  /** The packet is no longer needed. */
  void release(Packet packet) {
    ledger.released(packet.buffer());
    if (closed && ledger.filledCount() == 0) {
      arena.close();
    }
  }

  BufferLedger ledger() {
    return ledger;
  }

  /** Closes the buffers to the transmitter. Packets that have been taken stay valid until they are released. */
  void close() {
    if (closed) {
      return;
    }
    closed = true;
    cookies.close();
    completions.close();
    for (LocalAperture aperture : apertures) {
      aperture.revoke();
    }
    if (ledger.filledCount() == 0) {
      arena.close();
    }
  }
}
