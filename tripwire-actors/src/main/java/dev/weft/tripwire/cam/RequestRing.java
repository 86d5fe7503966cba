package dev.weft.tripwire.cam;

import org.agrona.BufferUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.ControlledMessageHandler;
import org.agrona.concurrent.ControlledMessageHandler.Action;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Shared memory in which applications arm and program their Tripwires without a call to the driver (CLAN, section 9). The NIC looks at it between
 * placing data and matching it, so there is no doorbell.
 *
 * <p>Each request carries the phase of the stream of accesses that its author saw: even between accesses, odd while one is being placed. A request
 * does not apply to an access that was complete by its phase. It applies to any later access, if the NIC finds it in time; otherwise the data was
 * visible before the request. So a thread that arms, then looks at the memory, then waits, misses nothing, and gets no firing for an access that it
 * could have seen before it armed.
 */
public final class RequestRing {
  private static final int ARM = 1;
  private static final int DISARM = 2;
  private static final int SET = 3;
  private static final int ONCE = 1 << 8;
  private static final int ARMED = 1 << 9;
  private static final int SHORT_LENGTH = 12;
  private static final int SET_LENGTH = 40;

  private final ManyToOneRingBuffer ring;
  private final Cam cam;
  private final ControlledMessageHandler handler = this::onRequest;
  private final Bank[] banks = Bank.values();
  private long before;
  private long refused;

  public RequestRing(int bytes, Cam cam) {
    this.cam = cam;
    ring = new ManyToOneRingBuffer(new UnsafeBuffer(
        BufferUtil.allocateDirectAligned(bytes + RingBufferDescriptor.TRAILER_LENGTH, Long.BYTES)));
  }

  // Any thread; returns false if there is no room now.

  public boolean arm(long phase, int id) {
    return offer(ARM, phase, id);
  }

  public boolean disarm(long phase, int id) {
    return offer(DISARM, phase, id);
  }

  private boolean offer(int type, long phase, int id) {
    int index = ring.tryClaim(type, SHORT_LENGTH);
    if (index < 0) {
      return false;
    }
    ring.buffer().putLong(index, phase);
    ring.buffer().putInt(index + 8, id);
    ring.commit(index);
    return true;
  }

  public boolean set(long phase, int id, Bank bank, long start, long end, boolean once, boolean armed, int actions) {
    int index = ring.tryClaim(SET, SET_LENGTH);
    if (index < 0) {
      return false;
    }
    ring.buffer().putLong(index, phase);
    ring.buffer().putInt(index + 8, id);
    ring.buffer().putInt(index + 12, bank.ordinal());
    ring.buffer().putLong(index + 16, start);
    ring.buffer().putLong(index + 24, end);
    ring.buffer().putInt(index + 32, actions | (once ? ONCE : 0) | (armed ? ARMED : 0));
    ring.commit(index);
    return true;
  }

  // Hardware thread.

  /** Handles the requests of threads that saw an earlier phase than {@code phase}. */
  void drain(long phase) {
    before = phase;
    long from;
    do {
      from = ring.consumerPosition();
      ring.controlledRead(handler); // Reads at most to the end of the buffer, then continues at its start.
    } while (ring.consumerPosition() != from);
  }

  private Action onRequest(int type, MutableDirectBuffer buffer, int index, int length) {
    if (buffer.getLong(index) - before >= 0) {
      return Action.ABORT;
    }
    int id = buffer.getInt(index + 8);
    switch (type) {
      case ARM -> refused += cam.arm(id) ? 0 : 1;
      case DISARM -> cam.disarm(id);
      case SET -> set(id, buffer, index);
      default -> throw new IllegalStateException("request of type " + type);
    }
    return Action.CONTINUE;
  }

  /** The Tripwire may have been freed meanwhile. */
  private void set(int id, MutableDirectBuffer buffer, int index) {
    int flags = buffer.getInt(index + 32);
    try {
      cam.set(id, banks[buffer.getInt(index + 12)], buffer.getLong(index + 16), buffer.getLong(index + 24), (flags & ONCE) != 0,
          flags & Cam.ALL_ACTIONS);
    } catch (IllegalArgumentException stale) {
      refused++;
      return;
    }
    if ((flags & ARMED) != 0) {
      cam.arm(id);
    }
  }

  public boolean hasRequests() {
    return ring.producerPosition() != ring.consumerPosition();
  }

  /** Number of requests for Tripwires that were free or watched nothing. */
  long refused() {
    return refused;
  }
}
