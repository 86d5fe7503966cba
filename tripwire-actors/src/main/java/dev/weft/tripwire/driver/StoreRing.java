package dev.weft.tripwire.driver;

import dev.weft.fabric.packet.MissingPages;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.BufferUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Stores on their way from programs to the NIC. The storing thread copies each store into a ring; the NIC takes it out when there is room to send it.
 * Bound: {@code weft.tripwire.store-ring}; a thread that finds the ring full waits for at most {@code confirm-timeout}. The hardware thread cannot
 * wait: its stores bypass the ring, or are refused.
 */
public final class StoreRing {
  private static final int STORE = 1;
  private static final int HEADER = 16;

  private final Driver nic;
  private final DeviceView core;
  private final ManyToOneRingBuffer ring;
  private final MessageHandler handler = this::onStore;
  private final int storeMax;
  /** The NIC is about to look at the ring. */
  private final AtomicBoolean rung = new AtomicBoolean();
  private volatile Runnable onRoom;
  /** A store of the hardware thread found no room. Hardware thread. */
  private boolean roomWanted;

  public StoreRing(Driver nic, DeviceView core) {
    this.nic = nic;
    this.core = core;
    ring = new ManyToOneRingBuffer(new UnsafeBuffer(
        BufferUtil.allocateDirectAligned(core.settings.storeRingBytes() + RingBufferDescriptor.TRAILER_LENGTH, Long.BYTES)));
    storeMax = Math.min(core.settings.burstMaxBytes(), ring.maxMsgLength() - HEADER & ~7);
  }

  public void onRoom(Runnable listener) {
    onRoom = listener;
  }

  // Programs.

  /** Stores bytes, from any thread. Returns false, and stores nothing, if the hardware thread finds no room. */
  boolean store(MappedAperture target, long offset, MemorySegment source, long sourceOffset, int count) {
    if (nic.host().isHardwareThread()) {
      return storeNow(target, offset, source, sourceOffset, count);
    }
    for (int done = 0; done < count; ) {
      int length = Math.min(storeMax, count - done);
      int from = done;
      boolean more = done + length < count;
      nic.await(() -> offer(target, offset + from, source, sourceOffset + from, length, more), core.settings.confirmTimeout(), "took no store");
      done += length;
    }
    return true;
  }

  private boolean storeNow(MappedAperture target, long offset, MemorySegment source, long sourceOffset, int count) {
    int burst = core.settings.burstMaxBytes();
    drain();
    if (!core.hasRoom((count + burst - 1) / burst) || offered() != taken()) {
      roomWanted = true;
      return false;
    }
    MemorySegment bytes = MemorySegment.ofArray(new byte[count]);
    copy(source, sourceOffset, bytes, count);
    for (int done = 0; done < count; done += burst) {
      core.store(target, offset + done, bytes.asSlice(done, Math.min(burst, count - done)), done + burst < count);
    }
    return true;
  }

  /** Copies the bytes of a store, on the storing thread. */
  private static void copy(MemorySegment source, long sourceOffset, MemorySegment target, int count) {
    try {
      MemorySegment.copy(source, sourceOffset, target, 0, count);
      MissingPages.raise();
    } catch (InternalError error) {
      MissingPages.expect(error);
      throw new NicException(Status.INVALID, "the " + count + " bytes to be stored have no pages: has the file that is mapped there been cut short?");
    }
  }

  /** Puts a store of at most one burst into the ring; returns false if the ring is full. */
  public boolean offer(MappedAperture target, long offset, MemorySegment source, long sourceOffset, int length, boolean more) {
    int index = ring.tryClaim(STORE, HEADER + length);
    if (index < 0) {
      return false;
    }
    MutableDirectBuffer buffer = ring.buffer();
    buffer.putInt(index, target.number());
    buffer.putInt(index + 4, target.serial << 1 | (more ? 1 : 0));
    buffer.putLong(index + 8, offset);
    try {
      copy(source, sourceOffset, MemorySegment.ofAddress(buffer.addressOffset() + index + HEADER).reinterpret(length), length);
    } catch (RuntimeException gone) {
      ring.abort(index);
      throw gone;
    }
    ring.commit(index);
    if (!rung.get() && rung.compareAndSet(false, true)) {
      nic.ringDoorbell();
    }
    return true;
  }

  /** End of the ring: later stores follow it. */
  long offered() {
    return ring.producerPosition();
  }

  /** Position up to which stores were taken out. */
  long taken() {
    return ring.consumerPosition();
  }

  // The NIC. Hardware thread.

  public void onDoorbell() {
    rung.set(false);
    drain();
  }

  /** Takes stores while there is room for them. */
  public void drain() {
    while (core.hasRoom(1) && ring.read(handler, 1) > 0) {
      continue;
    }
    Runnable told = onRoom;
    if (roomWanted && told != null && core.hasRoom(1)) {
      roomWanted = false;
      Driver.tell(told, "listener for room", nic.name());
    }
  }

  private void onStore(int type, MutableDirectBuffer buffer, int index, int length) {
    MappedAperture target = core.mapping(buffer.getInt(index));
    int serialAndMore = buffer.getInt(index + 4);
    if (target == null || target.hasFailed() || target.serial != serialAndMore >>> 1) {
      return; // The mapping has failed, which it reports, or was unmapped before the store was made.
    }
    byte[] bytes = new byte[length - HEADER];
    buffer.getBytes(index + HEADER, bytes);
    core.store(target, buffer.getLong(index + 8), MemorySegment.ofArray(bytes), (serialAndMore & 1) != 0);
  }
}
