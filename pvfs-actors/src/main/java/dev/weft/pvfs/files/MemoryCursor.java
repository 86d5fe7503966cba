package dev.weft.pvfs.files;

import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.types.Regions;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Walks over pieces of memory. */
final class MemoryCursor {
  private final List<MemorySegment> memory;
  private int piece;
  private long done;
  private long leftBytes;

  MemoryCursor(List<MemorySegment> memory) {
    this.memory = memory;
    this.leftBytes = memory.stream().mapToLong(MemorySegment::byteSize).sum();
  }

  /** Returns the pieces of memory that a type describes. */
  static List<MemorySegment> slices(MemorySegment memory, Datatype type) {
    Regions regions = new Regions();
    if (type.isDense()) {
      return List.of(memory.asSlice(0, type.size()));
    }
    type.flatten(regions);
    List<MemorySegment> slices = new ArrayList<>(regions.count());
    for (int i = 0; i < regions.count(); i++) {
      slices.add(memory.asSlice(regions.offset(i), regions.length(i)));
    }
    return slices;
  }

  long leftBytes() {
    return leftBytes;
  }

  /** Returns the next {@code bytes}. */
  MemorySegment[] take(long bytes) {
    List<MemorySegment> taken = new ArrayList<>();
    long left = bytes;
    while (left > 0) {
      MemorySegment at = memory.get(piece);
      long length = Math.min(left, at.byteSize() - done);
      if (length > 0) {
        taken.add(at.asSlice(done, length));
      }
      done += length;
      left -= length;
      if (done == at.byteSize()) {
        piece++;
        done = 0;
      }
    }
    leftBytes -= bytes;
    return taken.toArray(MemorySegment[]::new);
  }
}
