package dev.weft.tripwire.message;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * One end of a connection: memory that the other end writes, a Tripwire on one word of it, and a mapping of the other end's memory. If the NIC has no
 * room for a word, this end keeps it and sends it first next time.
 */
abstract class End implements AutoCloseable {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  final MemorySegment memory;
  private final Nic nic;
  private final Arena arena = Arena.ofShared();
  private final LocalAperture aperture;
  private final Tripwire ready;
  private RemoteAperture peer;
  private boolean owed;
  private long owedOffset;
  private long owedValue;

  /** Memory of {@code bytes} with a Tripwire on the word at {@code watched}. */
  End(Nic nic, long bytes, long watched) {
    this.nic = nic;
    memory = arena.allocate(bytes, 64);
    aperture = nic.export(memory);
    ready = tripwire(watched, Long.BYTES);
  }

  /** A Tripwire on bytes of this end's memory; the end that makes it closes it. */
  final Tripwire tripwire(long offset, long length) {
    return nic.tripwire().set(aperture, Watch.WRITE, offset, length, true);
  }

  /** The descriptor for the other end. */
  public Descriptor descriptor() {
    return aperture.descriptor(Rights.WRITE);
  }

  /** Connects to the end with this descriptor. */
  public void connect(Descriptor other) {
    connect(nic.map(other));
  }

  /** Connects by a mapping of the other end, which this end then owns. */
  public void connect(RemoteAperture other) {
    peer = other;
  }

  /** Fires when the data that this end waits for may be there; the caller arms it. */
  public Tripwire ready() {
    return ready;
  }

  /** Sends a word that the NIC had no room for; returns false if it still has none. */
  public boolean flush() {
    if (owed && peer().writeLong(owedOffset, owedValue)) {
      owed = false;
    }
    return !owed;
  }

  final RemoteAperture peer() {
    if (peer == null) {
      throw new IllegalStateException("not connected: call connect() with the other end's descriptor first");
    }
    return peer;
  }

  final long word(long offset) {
    return (long) LONG.getAcquire(memory, offset);
  }

  /**
   * Checks a length that the other end has written.
   *
   * @throws NicException INVALID if it is not 0 to {@code room}
   */
  static int checked(String what, long length, long room) {
    if (length < 0 || length > room) {
      throw new NicException(Status.INVALID, "the other end says that " + what + " has " + length + " bytes, want 0 to " + room);
    }
    return (int) length;
  }

  /** The bytes of this end's memory that the other end announces; at most to the end of the memory. */
  final MemorySegment message(String what, long at, long length) {
    return memory.asSlice(at, checked(what, length, memory.byteSize() - at)).asReadOnly();
  }

  final void setOwn(long offset, long value) {
    LONG.setRelease(memory, offset, value);
  }

  /** Writes a word of the other end, now or with the next call. Only an older value of the same word may be pending. */
  final void writeWord(long offset, long value) {
    owed = true;
    owedOffset = offset;
    owedValue = value;
    flush();
  }

  /** Closes the end: the other end can no longer write the memory. */
  @Override
  public void close() {
    ready.close();
    aperture.revoke();
    if (peer != null) {
      peer.unmap();
    }
    arena.close();
  }
}
