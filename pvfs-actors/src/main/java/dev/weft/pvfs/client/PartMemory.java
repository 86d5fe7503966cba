package dev.weft.pvfs.client;

import dev.weft.pvfs.wire.DataSum;
import dev.weft.pvfs.wire.RunningSum;
import java.lang.foreign.MemorySegment;

/** The program's memory that one request is about: the checksum of what is in it, and zeros where a read found nothing. */
final class PartMemory {
  private interface Piece {
    void visit(MemorySegment memory, long offset, long bytes);
  }

  private final DataSum sums = new DataSum();
  private final RunningSum sum = new RunningSum();

  /**
   * Of what a write sends.
   *
   * @throws IllegalStateException if the memory is closed, or has no pages any more
   */
  int sumOfWrite(DaemonTask part) {
    return sumOfRead(part, Long.MAX_VALUE);
  }

  /** Of what a read has brought from an object of this length; the rest as {@link #sumOfWrite}. */
  int sumOfRead(DaemonTask part, long objectBytes) {
    sums.begin(sum, part.task.object, part.file);
    forEach(part, objectBytes, (memory, offset, bytes) -> sums.addForeign(sum, memory, offset, bytes), (_, _, _) -> { });
    return sum.value();
  }

  /** What the object has not, nobody may have written. */
  static void zeroTail(DaemonTask part, long objectBytes) {
    if (part.file.end() > objectBytes) {
      forEach(part, objectBytes, (_, _, _) -> { }, (memory, offset, bytes) -> memory.asSlice(offset, bytes).fill((byte) 0));
    }
  }

  /** Shows the memory of a request in its order: what has bytes that an object of this length has, and what has none. */
  private static void forEach(DaemonTask part, long objectBytes, Piece there, Piece missing) {
    int in = 0;
    long at = 0;
    for (int i = 0; i < part.file.count(); i++) {
      long has = Math.clamp(objectBytes - part.file.offset(i), 0, part.file.bytes(i));
      for (long done = 0; done < part.file.bytes(i);) {
        long piece = Math.min(part.file.bytes(i) - done, part.memory.bytes(in) - at);
        long split = Math.clamp(has - done, 0, piece);
        MemorySegment memory = part.task.memory[part.memory.key(in)];
        if (split > 0) {
          there.visit(memory, part.memory.offset(in) + at, split);
        }
        if (split < piece) {
          missing.visit(memory, part.memory.offset(in) + at + split, piece - split);
        }
        done += piece;
        at += piece;
        if (at == part.memory.bytes(in)) {
          in++;
          at = 0;
        }
      }
    }
  }
}
