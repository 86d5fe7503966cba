package dev.weft.pvfs.daemon;

import dev.weft.pvfs.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** A disk that a power failure makes lose what was not synced: whole operations, and single sectors of writes. One thread. */
final class CrashDisk implements Disk {
  private static final int SECTOR_BYTES = 512;

  private record Key(long object, Kind kind) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      return object != other.object ? Long.compare(object, other.object) : kind.compareTo(other.kind);
    }
  }

  private sealed interface Change {}

  private record Wrote(long at, byte[] bytes) implements Change {}

  private record Cut(long bytes) implements Change {}

  private final class Stored implements File {
    byte[] durable = {};
    byte[] now = {};
    final List<Change> changes = new ArrayList<>();
    boolean isNameDurable;

    @Override
    public long bytes() {
      return now.length;
    }

    @Override
    public int read(long at, MemorySegment to) {
      int bytes = (int) Math.clamp(now.length - at, 0, to.byteSize());
      if (bytes > 0) {
        MemorySegment.copy(now, (int) at, to, ValueLayout.JAVA_BYTE, 0, bytes);
      }
      return bytes;
    }

    @Override
    public void write(long at, MemorySegment from) {
      byte[] bytes = from.toArray(ValueLayout.JAVA_BYTE);
      boolean fails = writesToFailure-- == 0;
      if (fails) {
        bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
      }
      now = wrote(now, at, bytes, 0, bytes.length);
      changes.add(new Wrote(at, bytes));
      if (fails) {
        throw new DiskException(Errno.ENOSPC, "full");
      }
    }

    @Override
    public void truncate(long bytes) {
      failIfAsked();
      now = Arrays.copyOf(now, (int) bytes);
      changes.add(new Cut(bytes));
    }

    @Override
    public void punch(long at, long bytes) {
      byte[] zeros = new byte[(int) bytes];
      now = wrote(now, at, zeros, 0, zeros.length);
      changes.add(new Wrote(at, zeros));
    }

    @Override
    public long nextData(long at) {
      long next = at;
      while (next < now.length && now[(int) next] == 0) {
        next++;
      }
      return next;
    }

    private void failIfAsked() {
      if (fails) {
        throw new DiskException(Errno.ENOSPC, "full");
      }
    }

    @Override
    public void sync() {
      failIfAsked();
      durable = now.clone();
      changes.clear();
    }

    @Override
    public void close() {
      // What is open is not known.
    }

    /** As a power failure leaves it. */
    void crash() {
      byte[] left = durable;
      for (Change change : changes) {
        if (random.nextInt(3) == 0) {
          continue;
        }
        left = switch (change) {
          case Cut cut -> Arrays.copyOf(left, (int) cut.bytes());
          case Wrote wrote -> torn(left, wrote);
        };
      }
      now = left;
      sync();
    }

    private byte[] torn(byte[] from, Wrote wrote) {
      byte[] left = from;
      boolean isTorn = random.nextBoolean();
      long end = wrote.at() + wrote.bytes().length;
      for (long at = wrote.at(); at < end;) {
        long sectorEnd = Math.min(end, at / SECTOR_BYTES * SECTOR_BYTES + SECTOR_BYTES);
        if (!isTorn || random.nextBoolean()) {
          left = CrashDisk.wrote(left, at, wrote.bytes(), (int) (at - wrote.at()), (int) (sectorEnd - at));
        }
        at = sectorEnd;
      }
      return left;
    }
  }

  private final Random random;
  private long boots;
  private final Map<Key, Stored> files = new TreeMap<>();
  /** Whose removal may be undone. */
  private final Map<Key, Stored> removed = new TreeMap<>();
  /** So many writes go well, then one fails. */
  int writesToFailure = -1;
  /** Whether cutting and syncing a file fails. */
  boolean fails;

  CrashDisk(Random random) {
    this.random = random;
  }

  private static byte[] wrote(byte[] to, long at, byte[] bytes, int from, int count) {
    if (count == 0) {
      return to;
    }
    byte[] grown = at + count <= to.length ? to.clone() : Arrays.copyOf(to, (int) at + count);
    System.arraycopy(bytes, from, grown, (int) at, count);
    return grown;
  }

  void powerFailure() {
    boots++;
    files.values().removeIf(file -> !file.isNameDurable && random.nextBoolean());
    removed.forEach((key, file) -> {
      if (file.isNameDurable && random.nextBoolean()) {
        files.putIfAbsent(key, file);
      }
    });
    removed.clear();
    files.values().forEach(Stored::crash);
    files.values().forEach(file -> file.isNameDurable = true);
  }

  /** A bit of a file changes by itself. */
  void flip(long object, long at) {
    Stored file = files.get(new Key(object, Kind.DATA));
    file.now[(int) at] ^= 4;
    if (at < file.durable.length) {
      file.durable[(int) at] ^= 4;
    }
  }

  @Override
  public File open(long object, Kind kind, boolean makes) {
    Key key = new Key(object, kind);
    return makes ? files.computeIfAbsent(key, _ -> new Stored()) : files.get(key);
  }

  @Override
  public boolean remove(long object, Kind kind) {
    Key key = new Key(object, kind);
    Stored file = files.remove(key);
    if (file != null) {
      removed.put(key, file);
    }
    return file != null;
  }

  @Override
  public void syncName(long object) {
    for (Kind kind : Kind.values()) {
      Stored file = files.get(new Key(object, kind));
      if (file != null) {
        file.isNameDurable = true;
      }
      removed.remove(new Key(object, kind));
    }
  }

  @Override
  public long boot() {
    return boots;
  }

  @Override
  public void syncAll() {
    files.forEach((key, file) -> {
      file.sync();
      file.isNameDurable = true;
    });
    removed.clear();
  }

  @Override
  public void list(long after, Visitor visitor) {
    files.forEach((key, file) -> {
      if (key.kind() == Kind.DATA && key.object() > after) {
        visitor.visit(key.object(), () -> file.now.length);
      }
    });
  }

  @Override
  public long freeBytes() {
    return 1;
  }

  @Override
  public long totalBytes() {
    return 2;
  }
}
