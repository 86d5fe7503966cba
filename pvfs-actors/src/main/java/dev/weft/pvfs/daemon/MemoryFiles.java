package dev.weft.pvfs.daemon;

import dev.weft.pvfs.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.collections.Long2ObjectHashMap;

/** A disk in virtual time: files in this JVM's memory. One thread. */
final class MemoryFiles implements Disk {
  private static final int PIECE_BYTES = 64 << 10;

  private record Key(long object, Kind kind) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      return object != other.object ? Long.compare(object, other.object) : kind.compareTo(other.kind);
    }
  }

  private final class Stored implements File {
    private final Long2ObjectHashMap<byte[]> pieces = new Long2ObjectHashMap<>();
    private long bytes;

    @Override
    public long bytes() {
      return bytes;
    }

    @Override
    public int read(long at, MemorySegment to) {
      int length = (int) Math.clamp(bytes - at, 0, to.byteSize());
      for (int done = 0; done < length;) {
        int piece = Math.min(length - done, rest(at + done));
        byte[] from = pieces.get((at + done) / PIECE_BYTES);
        if (from == null) {
          to.asSlice(done, piece).fill((byte) 0);
        } else {
          MemorySegment.copy(from, (int) ((at + done) % PIECE_BYTES), to, ValueLayout.JAVA_BYTE, done, piece);
        }
        done += piece;
      }
      return length;
    }

    @Override
    public void write(long at, MemorySegment from) {
      for (long done = 0; done < from.byteSize();) {
        int piece = (int) Math.min(from.byteSize() - done, rest(at + done));
        MemorySegment.copy(from, ValueLayout.JAVA_BYTE, done, make((at + done) / PIECE_BYTES), (int) ((at + done) % PIECE_BYTES), piece);
        done += piece;
      }
      bytes = Math.max(bytes, at + from.byteSize());
    }

    private byte[] make(long index) {
      byte[] piece = pieces.get(index);
      if (piece == null) {
        if (used + PIECE_BYTES > totalBytes) {
          throw new DiskException(Errno.ENOSPC, "the files in memory may have " + totalBytes + " bytes");
        }
        used += PIECE_BYTES;
        piece = new byte[PIECE_BYTES];
        pieces.put(index, piece);
      }
      return piece;
    }

    private static int rest(long at) {
      return PIECE_BYTES - (int) (at % PIECE_BYTES);
    }

    @Override
    public void truncate(long length) {
      if (length < bytes) {
        clear(length, bytes - length);
      }
      bytes = length;
    }

    @Override
    public void punch(long at, long length) {
      clear(at, length);
    }

    private void clear(long at, long length) {
      for (long done = 0; done < length;) {
        int piece = (int) Math.min(length - done, rest(at + done));
        long index = (at + done) / PIECE_BYTES;
        byte[] of = pieces.get(index);
        if (of != null && piece == PIECE_BYTES) {
          pieces.remove(index);
          used -= PIECE_BYTES;
        } else if (of != null) {
          int from = (int) ((at + done) % PIECE_BYTES);
          Arrays.fill(of, from, from + piece, (byte) 0);
        }
        done += piece;
      }
    }

    @Override
    public long nextData(long at) {
      long next = at;
      while (next < bytes && !pieces.containsKey(next / PIECE_BYTES)) {
        next += rest(next);
      }
      return Math.min(next, bytes);
    }

    @Override
    public void sync() {
      // It cannot become more durable.
    }

    @Override
    public void close() {
      // No resource is open.
    }
  }

  private final long totalBytes;
  private final Map<Key, Stored> files = new TreeMap<>();
  private long used;

  /** @param totalBytes of all files together */
  MemoryFiles(long totalBytes) {
    this.totalBytes = totalBytes;
  }

  @Override
  public File open(long object, Kind kind, boolean makes) {
    Key key = new Key(object, kind);
    return makes ? files.computeIfAbsent(key, _ -> new Stored()) : files.get(key);
  }

  @Override
  public boolean remove(long object, Kind kind) {
    Stored file = files.remove(new Key(object, kind));
    if (file != null) {
      file.truncate(0);
    }
    return file != null;
  }

  @Override
  public void syncName(long object) {
    // As sync.
  }

  @Override
  public long boot() {
    return 0;
  }

  @Override
  public void syncAll() {
    // As sync.
  }

  @Override
  public void list(long after, Visitor visitor) {
    files.forEach((key, file) -> {
      if (key.kind() == Kind.DATA && key.object() > after) {
        visitor.visit(key.object(), file::bytes);
      }
    });
  }

  @Override
  public long freeBytes() {
    return totalBytes - used;
  }

  @Override
  public long totalBytes() {
    return totalBytes;
  }
}
