package dev.weft.pvfs.fuse;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Entries of a directory, one after the other, as {@code struct fuse_dirent} or {@code fuse_direntplus}; each begins at a multiple of 8. */
final class DirectoryBody {
  private static final int TYPE_SHIFT = 12;
  private static final int TYPE_MASK = 15;

  private final MemorySegment memory;
  private final boolean isPlus;
  private int used;

  DirectoryBody(MemorySegment memory, boolean isPlus) {
    this.memory = memory;
    this.isPlus = isPlus;
  }

  /** Adds an entry; returns whether it fits. Without attributes it is no lookup of its inode. */
  boolean add(byte[] name, long inode, int mode, long nextOffset, FuseAttributes attributes, long generation, long entryValidNs, long attributesValidNs) {
    int before = isPlus ? Protocol.ENTRY_OUT_BYTES : 0;
    int bytes = before + Protocol.DIRENT_BYTES + name.length;
    int whole = bytes + 7 & -8;
    if (whole > memory.byteSize() - used) {
      return false;
    }
    if (isPlus) {
      ReplyMemory.putEntry(memory, used, isDot(name) ? null : attributes, generation, entryValidNs, attributesValidNs);
    }
    long at = (long) used + before;
    memory.set(ValueLayout.JAVA_LONG, at, inode);
    memory.set(ValueLayout.JAVA_LONG, at + 8, nextOffset);
    memory.set(ValueLayout.JAVA_INT, at + 16, name.length);
    memory.set(ValueLayout.JAVA_INT, at + 20, mode >> TYPE_SHIFT & TYPE_MASK);
    MemorySegment.copy(name, 0, memory, ValueLayout.JAVA_BYTE, at + Protocol.DIRENT_BYTES, name.length);
    memory.asSlice((long) used + bytes, whole - bytes).fill((byte) 0);
    used += whole;
    return true;
  }

  private static boolean isDot(byte[] name) {
    return name[0] == '.' && (name.length == 1 || name.length == 2 && name[1] == '.');
  }

  MemorySegment entries() {
    return memory.asSlice(0, used);
  }
}
