package dev.weft.pvfs.fuse;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Memory of one thread for the fixed part of an answer and for the vector that is written. Encodes the parts that several answers share. */
final class ReplyMemory {
  static final int PIECES_MAX = 256;
  private static final int BODY_BYTES_MAX = Protocol.ENTRY_OUT_BYTES + Protocol.OPEN_OUT_BYTES;
  private static final int VECTOR_BYTES = 16;
  private static final int HEADER = Protocol.OUT_HEADER_BYTES;
  private static final long ERA_NS = 1_000_000_000L;
  private static final ThreadLocal<ReplyMemory> MINE = ThreadLocal.withInitial(ReplyMemory::new);

  private final MemorySegment fixed = Arena.ofAuto().allocate(HEADER + BODY_BYTES_MAX, 8);
  private final MemorySegment vector = Arena.ofAuto().allocate((PIECES_MAX + 1L) * VECTOR_BYTES, 8);
  private final MemorySegment body = fixed.asSlice(HEADER);

  static ReplyMemory mine() {
    return MINE.get();
  }

  /** Returns the memory behind the header. */
  MemorySegment body() {
    return body;
  }

  /** Sends the header, so many bytes of the body, and pieces of memory. */
  int send(ReplyPort port, long unique, int error, int bodyBytes, MemorySegment... pieces) {
    long length = (long) HEADER + bodyBytes;
    putVector(0, fixed, length);
    for (int i = 0; i < pieces.length; i++) {
      putVector(i + 1, pieces[i], pieces[i].byteSize());
      length += pieces[i].byteSize();
    }
    fixed.set(ValueLayout.JAVA_INT, 0, (int) length);
    fixed.set(ValueLayout.JAVA_INT, 4, error);
    fixed.set(ValueLayout.JAVA_LONG, 8, unique);
    return port.send(vector, pieces.length + 1);
  }

  private void putVector(int index, MemorySegment piece, long bytes) {
    vector.set(ValueLayout.JAVA_LONG, (long) index * VECTOR_BYTES, piece.address());
    vector.set(ValueLayout.JAVA_LONG, (long) index * VECTOR_BYTES + 8, bytes);
  }

  /** {@code struct fuse_entry_out}; without attributes, without an inode. */
  static void putEntry(MemorySegment out, long at, FuseAttributes attributes, long generation, long entryValidNs, long attributesValidNs) {
    out.asSlice(at, Protocol.ENTRY_OUT_BYTES).fill((byte) 0);
    out.set(ValueLayout.JAVA_LONG, at + 8, generation);
    out.set(ValueLayout.JAVA_LONG, at + 16, entryValidNs / ERA_NS);
    out.set(ValueLayout.JAVA_INT, at + 32, (int) (entryValidNs % ERA_NS));
    if (attributes != null) {
      out.set(ValueLayout.JAVA_LONG, at, attributes.inode());
      out.set(ValueLayout.JAVA_LONG, at + 24, attributesValidNs / ERA_NS);
      out.set(ValueLayout.JAVA_INT, at + 36, (int) (attributesValidNs % ERA_NS));
      putAttributes(out, at + 40, attributes);
    }
  }

  /** {@code struct fuse_attr}. */
  static void putAttributes(MemorySegment out, long at, FuseAttributes of) {
    out.set(ValueLayout.JAVA_LONG, at, of.inode());
    out.set(ValueLayout.JAVA_LONG, at + 8, of.sizeBytes());
    out.set(ValueLayout.JAVA_LONG, at + 16, of.blocks());
    putTime(out, at + 24, at + 48, of.atimeNs());
    putTime(out, at + 32, at + 52, of.mtimeNs());
    putTime(out, at + 40, at + 56, of.ctimeNs());
    out.set(ValueLayout.JAVA_INT, at + 60, of.mode());
    out.set(ValueLayout.JAVA_INT, at + 64, of.links());
    out.set(ValueLayout.JAVA_INT, at + 68, of.uid());
    out.set(ValueLayout.JAVA_INT, at + 72, of.gid());
    out.set(ValueLayout.JAVA_INT, at + 76, of.device());
    out.set(ValueLayout.JAVA_INT, at + 80, of.blockBytes());
    out.set(ValueLayout.JAVA_INT, at + 84, 0);
  }

  private static void putTime(MemorySegment out, long secondsAt, long nanosecondsAt, long timeNs) {
    out.set(ValueLayout.JAVA_LONG, secondsAt, Math.floorDiv(timeNs, ERA_NS));
    out.set(ValueLayout.JAVA_INT, nanosecondsAt, (int) Math.floorMod(timeNs, ERA_NS));
  }

  /** {@code struct fuse_attr_out}. */
  void putAttributesOut(FuseAttributes attributes, long validNs) {
    body.set(ValueLayout.JAVA_LONG, 0, validNs / ERA_NS);
    body.set(ValueLayout.JAVA_LONG, 8, validNs % ERA_NS);
    putAttributes(body, 16, attributes);
  }

  /** {@code struct fuse_open_out}. */
  void putOpen(long at, long handle, int flags) {
    body.set(ValueLayout.JAVA_LONG, at, handle);
    body.set(ValueLayout.JAVA_LONG, at + 8, Integer.toUnsignedLong(flags));
  }

  /** {@code struct fuse_statfs_out}. */
  void putStatistics(FuseStatistics figures) {
    body.asSlice(0, Protocol.STATFS_OUT_BYTES).fill((byte) 0);
    body.set(ValueLayout.JAVA_LONG, 0, figures.blocks());
    body.set(ValueLayout.JAVA_LONG, 8, figures.free());
    body.set(ValueLayout.JAVA_LONG, 16, figures.available());
    body.set(ValueLayout.JAVA_LONG, 24, figures.inodes());
    body.set(ValueLayout.JAVA_LONG, 32, figures.freeInodes());
    body.set(ValueLayout.JAVA_INT, 40, figures.blockBytes());
    body.set(ValueLayout.JAVA_INT, 44, figures.nameBytesMax());
    body.set(ValueLayout.JAVA_INT, 48, figures.blockBytes());
  }

  /** {@code struct fuse_lk_out}. */
  void putLock(FuseLock lock) {
    body.set(ValueLayout.JAVA_LONG, 0, lock.start());
    body.set(ValueLayout.JAVA_LONG, 8, lock.end());
    body.set(ValueLayout.JAVA_INT, 16, lock.type());
    body.set(ValueLayout.JAVA_INT, 20, lock.pid());
  }
}
