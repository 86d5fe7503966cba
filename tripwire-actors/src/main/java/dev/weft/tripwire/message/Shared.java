package dev.weft.tripwire.message;

import dev.weft.tripwire.Descriptor;
import dev.weft.tripwire.LocalAperture;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.RemoteAperture;
import dev.weft.tripwire.Rights;
import dev.weft.tripwire.Tripwire;
import dev.weft.tripwire.Watch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * What one end of a connection shares with the other: memory that the other writes, a Tripwire on one word of it, and the other's memory.
 * Words that this end has written, but for which the NIC had no room, are owed and sent first next time.
 */
final class Shared implements AutoCloseable {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final Nic nic;
  private final Arena arena = Arena.ofShared();
  private final LocalAperture aperture;
  final MemorySegment memory;
  final Tripwire tripwire;
  private RemoteAperture peer;
  private boolean owed;
  private long owedOffset;
  private long owedValue;

  /** Memory of {@code bytes} with a Tripwire on the word at {@code watched}. */
  Shared(Nic nic, long bytes, long watched) {
    this.nic = nic;
    memory = arena.allocate(bytes, 64);
    aperture = nic.export(memory);
    tripwire = nic.tripwire().set(aperture, Watch.WRITE, watched, Long.BYTES, true);
  }

  Descriptor descriptor() {
    return aperture.descriptor(Rights.WRITE);
  }

  void connect(Descriptor peerDescriptor) {
    peer = nic.map(peerDescriptor);
  }

  RemoteAperture peer() {
    if (peer == null) {
      throw new IllegalStateException("not connected: call connect() with the other end's descriptor first");
    }
    return peer;
  }

  long word(long offset) {
    return (long) LONG.getAcquire(memory, offset);
  }

  void setOwn(long offset, long value) {
    LONG.setRelease(memory, offset, value);
  }

  /** Whether nothing is owed any more. */
  boolean settle() {
    if (owed && peer().writeLong(owedOffset, owedValue)) {
      owed = false;
    }
    return !owed;
  }

  /** Writes a word of the other end, now or with the next call; nothing may be owed. */
  void writeWord(long offset, long value) {
    owed = true;
    owedOffset = offset;
    owedValue = value;
    settle();
  }

  /** Nobody writes the memory any more. */
  @Override
  public void close() {
    tripwire.close();
    aperture.revoke();
    if (peer != null) {
      peer.unmap();
    }
    arena.close();
  }
}
