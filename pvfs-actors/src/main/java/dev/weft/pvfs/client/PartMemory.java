package dev.weft.pvfs.client;

import dev.weft.fabric.packet.MissingPages;
import dev.weft.pvfs.wire.DataSum;
import dev.weft.pvfs.wire.RunningSum;
import java.lang.foreign.MemorySegment;

/**
 * The program's memory of one request: copies its bytes, sums them, and fills it with zeros where a read found nothing. The program may meanwhile
 * close the memory or cut the file that is mapped there; then each of these throws {@link IllegalStateException}.
 */
final class PartMemory {
  private interface Piece {
    void visit(MemorySegment memory, long offset, long bytes);
  }

  private final DataSum sums = new DataSum();
  private final RunningSum sum = new RunningSum();

  /** Only checks that all of it can be accessed. */
  static void requireThere(DaemonTask part) {
    for (int i = 0; i < part.memory.count(); i++) {
      if (!MissingPages.none(part.task.memory[part.memory.key(i)], part.memory.offset(i), part.memory.bytes(i))) {
        throw lost(null);
      }
    }
  }

  /** Runs code that accesses memory of the program. */
  static void use(Runnable work) {
    try {
      work.run();
      MissingPages.raise();
    } catch (InternalError error) {
      MissingPages.expect(error);
      throw lost(error);
    }
  }

  private static IllegalStateException lost(InternalError error) {
    return new IllegalStateException("memory that is closed, or has no pages any more: has the file that is mapped there been cut short?", error);
  }

  /** Copies the data of a write behind its request. */
  static void copyOut(DaemonTask part, MemorySegment to, long at) {
    use(() -> {
      long next = at;
      for (int i = 0; i < part.memory.count(); i++) {
        MemorySegment.copy(part.task.memory[part.memory.key(i)], part.memory.offset(i), to, next, part.memory.bytes(i));
        next += part.memory.bytes(i);
      }
    });
  }

  /** Copies the data behind the answer of a read. */
  static void copyIn(DaemonTask part, MemorySegment from, long at) {
    use(() -> {
      long next = at;
      for (int i = 0; i < part.memory.count(); i++) {
        MemorySegment.copy(from, next, part.task.memory[part.memory.key(i)], part.memory.offset(i), part.memory.bytes(i));
        next += part.memory.bytes(i);
      }
    });
  }

  /** Returns the checksum of a write's data. */
  int sumOfWrite(DaemonTask part) {
    return sumOfRead(part, Long.MAX_VALUE);
  }

  /** Returns the checksum of the data that a read brought from an object of this length. */
  int sumOfRead(DaemonTask part, long objectBytes) {
    sums.begin(sum, part.task.object, part.file);
    forEach(part, objectBytes, (memory, offset, bytes) -> sums.addForeign(sum, memory, offset, bytes), (_, _, _) -> { });
    return sum.value();
  }

  /** Fills bytes beyond the object's end with zeros, since nothing may have written them. */
  static void zeroTail(DaemonTask part, long objectBytes) {
    if (part.file.end() > objectBytes) {
      forEach(part, objectBytes, (_, _, _) -> { }, (memory, offset, bytes) -> use(() -> memory.asSlice(offset, bytes).fill((byte) 0)));
    }
  }

  /** Visits the memory of a request in order, and separates the bytes that an object of this length has from those that it does not have. */
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
