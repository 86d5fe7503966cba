package dev.weft.tripwire.mpi;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Memory of a rank that the others write: a line of three words for each of them, with one Tripwire over all lines, and a ring for each. The words
 * count modulo 2^32; each has one writer.
 */
final class Inbox implements AutoCloseable {
  /** The position up to which that rank has written its ring here. */
  static final int WRITTEN = 0;
  /** The position up to which that rank has read this rank's ring there. */
  static final int READ = 4;
  /** Bytes of this rank's messages that the other rank has released. */
  static final int RELEASED = 8;
  static final int WORDS_BYTES = 12;

  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();
  private static final int LINE = 64;

  final MemorySegment memory;
  final Tripwire wire;
  private final Arena arena = Arena.ofShared();
  private final LocalAperture aperture;
  private final int size;
  private final int ringBytes;

  Inbox(Nic nic, int size, int ringBytes) {
    this.size = size;
    this.ringBytes = ringBytes;
    memory = arena.allocate((long) size * (LINE + ringBytes), LINE);
    aperture = nic.export(memory);
    wire = nic.tripwire().set(aperture, Watch.WRITE, 0, (long) size * LINE, true);
  }

  Descriptor descriptor() {
    return aperture.descriptor(Rights.WRITE);
  }

  /** Offset of a rank's words; the same in every inbox of the job. */
  static long lineOf(int rank) {
    return (long) rank * LINE;
  }

  /** Offset of a rank's ring; the same in every inbox of the job. */
  long ringOf(int rank) {
    return (long) size * LINE + (long) rank * ringBytes;
  }

  /** A word of a rank. */
  int word(int rank, int which) {
    return (int) WORD.getAcquire(memory, lineOf(rank) + which);
  }

  /** Closes the inbox to the other ranks. */
  @Override
  public void close() {
    wire.close();
    aperture.revoke();
    arena.close();
  }
}
