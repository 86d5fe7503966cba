package dev.weft.pvfs.wire;

import dev.weft.fabric.packet.MissingPages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The checksum of the data of one request, from the program's memory to the daemon's and back. It is the CRC32C of the data's place (number of the
 * object, then offset and bytes of each range, 8 bytes each) followed by the data. So it also detects correct data at a wrong place. For a read it
 * covers the bytes that the object has, up to its length in the answer; the zeros behind are not sent.
 *
 * <p>The state of a request's sum is in its {@link RunningSum}; this class only helps to add to it. One thread.
 */
public final class DataSum {
  private static final int PIECE_BYTES = 16 << 10;
  private static final MemorySegment ZEROS = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(PIECE_BYTES)).asReadOnly();

  private final MemorySegment piece = Arena.ofAuto().allocate(PIECE_BYTES, Long.BYTES);
  private final ByteBuffer pieceBytes = piece.asByteBuffer();

  /** Begins a new sum, for data of these ranges of an object. */
  public void begin(RunningSum sum, long object, Ranges file) {
    sum.reset();
    piece.set(DaemonRequest.LONG, 0, object);
    long at = Long.BYTES;
    for (int i = 0; i < file.count(); i++, at += 2 * Long.BYTES) {
      if (at + 2 * Long.BYTES > PIECE_BYTES) {
        addPiece(sum, (int) at);
        at = 0;
      }
      piece.set(DaemonRequest.LONG, at, file.offset(i));
      piece.set(DaemonRequest.LONG, at + Long.BYTES, file.bytes(i));
    }
    addPiece(sum, (int) at);
  }

  private void addPiece(RunningSum sum, int bytes) {
    sum.update(pieceBytes.clear().limit(bytes));
  }

  /** Adds own memory, which stays mapped. */
  public void add(RunningSum sum, MemorySegment from, long at, long bytes) {
    if (bytes <= PIECE_BYTES) {
      MemorySegment.copy(from, at, piece, 0, bytes);
      addPiece(sum, (int) bytes);
    } else {
      sum.update(from.asSlice(at, bytes).asByteBuffer());
    }
  }

  /**
   * Adds memory of a program, which may change it, close it, or cut the file mapped there at any time. It is copied piece by piece: an access to
   * missing pages fails the copy with an error, but would end the JVM within the CRC instructions.
   *
   * @throws IllegalStateException if it is closed or its pages are gone
   */
  public void addForeign(RunningSum sum, MemorySegment from, long at, long bytes) {
    for (long done = 0; done < bytes;) {
      int next = (int) Math.min(bytes - done, PIECE_BYTES);
      try {
        MemorySegment.copy(from, at + done, piece, 0, next);
        MissingPages.raise();
      } catch (InternalError error) {
        MissingPages.expect(error);
        throw new IllegalStateException("memory that has no pages any more: has the file that is mapped there been cut short?", error);
      }
      addPiece(sum, next);
      done += next;
    }
  }

  /** Adds the zeros of a hole. */
  public void addZeros(RunningSum sum, long bytes) {
    for (long left = bytes; left > 0; left -= PIECE_BYTES) {
      sum.update(ZEROS.asSlice(0, Math.min(left, PIECE_BYTES)).asByteBuffer());
    }
  }
}
