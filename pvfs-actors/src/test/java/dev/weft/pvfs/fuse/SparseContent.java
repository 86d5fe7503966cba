package dev.weft.pvfs.fuse;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The bytes of a file, in chunks; what was never written has none, and is read as zeros. Any thread. */
final class SparseContent {
  private static final int CHUNK = ChunkPool.CHUNK_BYTES;
  private static final MemorySegment ZEROS = Arena.global().allocate(CHUNK, 4096);

  private final ChunkPool pool;
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final NavigableMap<Long, MemorySegment> chunks = new TreeMap<>();
  private volatile long size;
  private volatile long chunkCount;

  SparseContent(ChunkPool pool) {
    this.pool = pool;
  }

  long size() {
    return size;
  }

  long blocks() {
    return chunkCount * (CHUNK / 512);
  }

  /** Answers with the bytes in place. */
  void read(long offset, int count, FuseReply.Data reply) {
    lock.readLock().lock();
    try {
      reply.data(pieces(offset, count));
    } finally {
      lock.readLock().unlock();
    }
  }

  private MemorySegment[] pieces(long offset, int count) {
    long bytes = Math.clamp(size - offset, 0, count);
    if (bytes == 0) {
      return new MemorySegment[0];
    }
    long first = offset / CHUNK;
    int chunkTotal = (int) ((offset + bytes - 1) / CHUNK - first) + 1;
    MemorySegment[] pieces = new MemorySegment[chunkTotal];
    long at = offset;
    for (int i = 0; i < chunkTotal; i++) {
      long inChunk = at % CHUNK;
      long length = Math.min(CHUNK - inChunk, offset + bytes - at);
      pieces[i] = chunks.getOrDefault(first + i, ZEROS).asSlice(inChunk, length);
      at += length;
    }
    return pieces;
  }

  byte[] bytes(long offset, int count) {
    lock.readLock().lock();
    try {
      byte[] copy = new byte[Math.clamp(size - offset, 0, count)];
      int at = 0;
      for (MemorySegment piece : pieces(offset, count)) {
        MemorySegment.copy(piece, 0, MemorySegment.ofArray(copy), at, piece.byteSize());
        at += (int) piece.byteSize();
      }
      return copy;
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Whether there was memory for it; {@code offset} negative: at the end. */
  boolean write(long offset, MemorySegment data) {
    lock.writeLock().lock();
    try {
      long start = offset < 0 ? size : offset;
      if (!allocate(start, data.byteSize())) {
        return false;
      }
      long done = 0;
      while (done < data.byteSize()) {
        long inChunk = (start + done) % CHUNK;
        long length = Math.min(CHUNK - inChunk, data.byteSize() - done);
        MemorySegment.copy(data, done, chunks.get((start + done) / CHUNK), inChunk, length);
        done += length;
      }
      size = Math.max(size, start + done);
      return true;
    } finally {
      lock.writeLock().unlock();
    }
  }

  private boolean allocate(long offset, long bytes) {
    for (long i = offset / CHUNK; bytes > 0 && i <= (offset + bytes - 1) / CHUNK; i++) {
      if (!chunks.containsKey(i)) {
        MemorySegment chunk = pool.take();
        if (chunk == null) {
          return false;
        }
        chunks.put(i, chunk);
        chunkCount = chunks.size();
      }
    }
    return true;
  }

  /** fallocate without a mode. */
  boolean reserve(long offset, long bytes, boolean keepsSize) {
    lock.writeLock().lock();
    try {
      if (bytes / CHUNK > pool.freeChunks() || !allocate(offset, bytes)) {
        return false;
      }
      size = keepsSize ? size : Math.max(size, offset + bytes);
      return true;
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Makes a range zeros, and gives whole chunks back. */
  void zero(long offset, long bytes, boolean keepsSize) {
    lock.writeLock().lock();
    try {
      zero(offset, bytes);
      size = keepsSize ? size : Math.max(size, offset + bytes);
    } finally {
      lock.writeLock().unlock();
    }
  }

  private void zero(long offset, long bytes) {
    if (bytes == 0) {
      return;
    }
    long end = offset + bytes;
    var touched = chunks.subMap(offset / CHUNK, true, (end - 1) / CHUNK, true).entrySet().iterator();
    while (touched.hasNext()) {
      var entry = touched.next();
      long from = Math.max(offset - entry.getKey() * CHUNK, 0);
      long to = Math.min(end - entry.getKey() * CHUNK, CHUNK);
      MemorySegment chunk = entry.getValue(); // A TreeMap's entry is another one when it is removed.
      if (from == 0 && to == CHUNK) {
        touched.remove();
        pool.give(chunk);
      } else {
        chunk.asSlice(from, to - from).fill((byte) 0);
      }
    }
    chunkCount = chunks.size();
  }

  void truncate(long newSize) {
    lock.writeLock().lock();
    try {
      long end = chunks.isEmpty() ? 0 : (chunks.lastKey() + 1) * CHUNK; // What was reserved behind the size, too.
      if (newSize < end && newSize <= size) {
        zero(newSize, end - newSize);
      }
      size = newSize;
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** The next byte of data, or of a hole; -1 if there is none. */
  long seek(long offset, boolean toHole) {
    lock.readLock().lock();
    try {
      if (offset >= size) {
        return -1;
      }
      long chunk = offset / CHUNK;
      if (!toHole) {
        Long next = chunks.ceilingKey(chunk);
        long at = next == null ? -1 : Math.max(next * CHUNK, offset);
        return at < size ? at : -1;
      }
      while (chunks.containsKey(chunk)) {
        chunk++;
      }
      return Math.min(Math.max(chunk * CHUNK, offset), size);
    } finally {
      lock.readLock().unlock();
    }
  }
}
