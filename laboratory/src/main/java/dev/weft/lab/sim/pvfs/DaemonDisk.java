package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Draw;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.daemon.Disk;
import dev.weft.pvfs.daemon.DiskException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * The disk of an I/O daemon in virtual time; it outlives the daemon. Operations take time: each has its own moment on the disk, later than that of
 * the daemon's code, so a crash in between finds it not begun, or a sync not complete. After a kill, everything that has begun remains. After a power
 * failure, synced data remains; of each later change all, nothing, or some sectors of {@value #SECTOR_BYTES} bytes remain; files whose names were not
 * synced may be gone, and removed ones may be back. One thread.
 */
final class DaemonDisk {
  /** Its faults. */
  enum Trouble {
    FULL,
    SYNCS_FAIL,
    /** It does nothing for a while. */
    STALLS
  }

  /** Durations of operations. */
  record Times(long operationNs, long syncNs) {}

  private static final int SECTOR_BYTES = 512;
  private static final long KEPT_BYTES = 1 << 18;
  private static final long NEVER = Long.MAX_VALUE;

  private record Key(long object, Disk.Kind kind) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      return object != other.object ? Long.compare(object, other.object) : kind.compareTo(other.kind);
    }
  }

  /** A change of a file, and its time. */
  private sealed interface Change {
    long atNs();
  }

  private record Wrote(long atNs, long at, byte[] bytes) implements Change {}

  private record Cut(long atNs, long bytes) implements Change {}

  private record Punched(long atNs, long at, long bytes) implements Change {}

  /** A sync that completes at that moment. */
  private record Synced(long atNs) implements Change {}

  private static final class Stored {
    private final long madeNs;
    private SparseBytes now = new SparseBytes();
    private SparseBytes durable = new SparseBytes();
    /** Changes that {@link #durable} lacks, in order. */
    private List<Change> changes = new ArrayList<>();
    /** From this time on its name survives a power failure. */
    private long namedNs = NEVER;
    private long removedNs = NEVER;
    /** A sync has failed: other syncs report its data as durable, which it is not. Until the machine or the daemon restarts. */
    private boolean isFailed;
    /** A power failure has undone its removal. */
    private boolean isStray;

    private Stored(long madeNs) {
      this.madeNs = madeNs;
    }

    /** Drops changes that are synced by now. */
    private void fold(long nowNs) {
      int synced = changes.size() - 1;
      while (synced >= 0 && !(changes.get(synced) instanceof Synced sync && sync.atNs() <= nowNs)) {
        synced--;
      }
      if (synced >= 0) {
        changes.subList(0, synced).forEach(change -> redo(durable, change));
        changes = new ArrayList<>(changes.subList(synced + 1, changes.size()));
      }
    }

    /** Drops changes that have not begun by now. */
    private void stop(long nowNs) {
      fold(nowNs);
      changes.removeIf(change -> change.atNs() > nowNs || change instanceof Synced);
      now = durable.copy();
      changes.forEach(change -> redo(now, change));
    }

    private void settle() {
      changes.forEach(change -> redo(durable, change));
      changes.clear();
      namedNs = 0;
      isFailed = false;
    }

    private void losePower(Draw draw) {
      for (Change change : changes) {
        if (draw.chance(0.6)) {
          if (change instanceof Wrote wrote && draw.chance(0.5)) {
            tear(wrote, draw);
          } else {
            redo(durable, change);
          }
        }
      }
      changes.clear();
      now = durable.copy();
    }

    private void tear(Wrote wrote, Draw draw) {
      long end = wrote.at() + wrote.bytes().length;
      for (long at = wrote.at(); at < end;) {
        long sectorEnd = Math.min(end, (at / SECTOR_BYTES + 1) * SECTOR_BYTES);
        if (draw.chance(0.5)) {
          durable.write(at, wrote.bytes(), (int) (at - wrote.at()), (int) (sectorEnd - at));
        }
        at = sectorEnd;
      }
    }

    private static void redo(SparseBytes on, Change change) {
      switch (change) {
        case Wrote wrote -> on.write(wrote.at(), wrote.bytes(), 0, wrote.bytes().length);
        case Cut cut -> on.cut(cut.bytes());
        case Punched punched -> on.punch(punched.at(), punched.bytes());
        case Synced _ -> { }
      }
    }
  }

  private final LongSupplier clock;
  private final Times times;
  private final long totalBytes;
  private final Map<Key, Stored> files = new TreeMap<>();
  /** The last removed file of each name, while a power failure may undo the removal. */
  private final Map<Key, Stored> removed = new TreeMap<>();
  private Session user;
  private int starts;
  private int powerFailures;
  private long tookNs;
  private boolean isFull;
  private boolean failsSyncs;
  private long stalledToNs;

  /** @param totalBytes maximum size of all files */
  DaemonDisk(LongSupplier clock, Times times, long totalBytes) {
    this.clock = clock;
    this.times = times;
    this.totalBytes = totalBytes;
  }

  // Trouble.

  void begin(Trouble trouble, long endNs) {
    switch (trouble) {
      case FULL -> isFull = true;
      case SYNCS_FAIL -> failsSyncs = true;
      case STALLS -> stalledToNs = endNs;
    }
  }

  void end(Trouble trouble) {
    switch (trouble) {
      case FULL -> isFull = false;
      case SYNCS_FAIL -> failsSyncs = false;
      case STALLS -> { } // Ends by itself.
    }
  }

  void endAllTrouble() {
    isFull = false;
    failsSyncs = false;
  }

  /** Its user dies and does nothing more to it; the kernel's data remains. */
  void kill() {
    user.isGone = true;
    long nowNs = clock.getAsLong();
    files.entrySet().removeIf(each -> each.getValue().madeNs > nowNs);
    removed.forEach((key, file) -> {
      if (file.removedNs > nowNs) {
        file.removedNs = NEVER;
        files.putIfAbsent(key, file);
      }
    });
    removed.values().removeIf(file -> file.removedNs == NEVER);
    files.values().forEach(file -> file.stop(nowNs));
    removed.values().forEach(file -> file.stop(nowNs));
    calm();
  }

  /** As {@link #kill} for the whole machine: unsynced data may be lost. */
  void losePower(Draw draw) {
    kill();
    powerFailures++;
    long nowNs = clock.getAsLong();
    files.values().removeIf(file -> file.namedNs > nowNs && draw.chance(0.5));
    removed.forEach((key, file) -> {
      if (file.namedNs <= nowNs && draw.chance(0.5) && files.putIfAbsent(key, file) == null) {
        file.isStray = true;
        file.removedNs = NEVER;
      }
    });
    removed.clear();
    files.values().forEach(file -> {
      file.losePower(draw);
      file.namedNs = 0;
    });
  }

  private void calm() {
    endAllTrouble();
    stalledToNs = 0;
    tookNs = 0;
    files.values().forEach(file -> file.isFailed = false);
  }

  /** Attaches a starting daemon; the previous one has ended. */
  Disk attach() {
    if (user != null) {
      user.isGone = true;
    }
    long nowNs = clock.getAsLong();
    files.values().forEach(file -> file.stop(nowNs + tookNs)); // A daemon that ended in order has completed everything that it began.
    tookNs = 0;
    user = new Session();
    starts++;
    return user;
  }

  /** How often it was attached. */
  int starts() {
    return starts;
  }

  /** Number of objects whose removal a power failure has undone. */
  int strays() {
    return (int) files.entrySet().stream().filter(each -> each.getKey().kind() == Disk.Kind.DATA && each.getValue().isStray).count();
  }

  /** Size of the files whose removal was undone. */
  long strayBytes() {
    return files.values().stream().filter(file -> file.isStray).mapToLong(file -> file.now.room()).sum();
  }

  /** Size of all files. */
  long takenBytes() {
    return files.values().stream().mapToLong(file -> file.now.room()).sum();
  }

  // Operations.

  private long nowNs() {
    return clock.getAsLong() + tookNs;
  }

  private void takes(long ns) {
    long waitsNs = Math.max(0, stalledToNs - nowNs());
    tookNs += waitsNs + ns;
  }

  private final class Session implements Disk {
    private boolean isGone;

    private void check() {
      if (isGone) {
        throw new DiskException(Errno.EIO, "the daemon that asks has died");
      }
    }

    @Override
    public File open(long object, Kind kind, boolean makes) {
      check();
      Key key = new Key(object, kind);
      Stored file = files.get(key);
      if (file == null && makes) {
        takes(times.operationNs());
        file = new Stored(nowNs());
        files.put(key, file);
      }
      return file == null ? null : new OpenFile(this, file, kind);
    }

    @Override
    public boolean remove(long object, Kind kind) {
      check();
      Key key = new Key(object, kind);
      Stored file = files.remove(key);
      if (file != null) {
        takes(times.operationNs());
        file.removedNs = nowNs();
        file.isStray = false;
        removed.put(key, file);
      }
      return file != null;
    }

    @Override
    public void syncName(long object) {
      check();
      takes(times.syncNs());
      failIfAsked();
      for (Kind kind : Kind.values()) {
        Stored file = files.get(new Key(object, kind));
        if (file != null && file.namedNs == NEVER) {
          file.namedNs = nowNs();
        }
      }
    }

    @Override
    public long boot() {
      return powerFailures;
    }

    @Override
    public void syncAll() {
      check();
      files.values().forEach(Stored::settle);
      removed.clear();
    }

    @Override
    public void list(long after, Visitor visitor) {
      check();
      files.forEach((key, file) -> {
        if (key.kind() == Kind.DATA && key.object() > after) {
          visitor.visit(key.object(), () -> file.now.bytes());
        }
      });
    }

    @Override
    public long freeBytes() {
      return room(Kind.DATA);
    }

    /** Data leaves some room free, as with {@code weft.pvfs.daemon.reserve}, because cutting a file on a full disk writes checksums. */
    private long room(Kind kind) {
      return isFull ? 0 : Math.max(0, totalBytes + (kind == Kind.DATA ? 0 : KEPT_BYTES) - takenBytes());
    }

    @Override
    public long totalBytes() {
      return totalBytes;
    }

    @Override
    public long tookNs() {
      long took = isGone ? 0 : tookNs;
      tookNs = isGone ? tookNs : 0;
      return took;
    }

    private void failIfAsked() {
      if (failsSyncs) {
        throw new DiskException(Errno.EIO, "the disk fails");
      }
    }
  }

  private final class OpenFile implements Disk.File {
    private final Session session;
    private final Stored file;
    private final Disk.Kind kind;

    private OpenFile(Session session, Stored file, Disk.Kind kind) {
      this.session = session;
      this.file = file;
      this.kind = kind;
    }

    private void does(Change change) {
      file.fold(clock.getAsLong());
      file.changes.add(change);
      Stored.redo(file.now, change);
    }

    @Override
    public long bytes() {
      session.check();
      return file.now.bytes();
    }

    @Override
    public int read(long at, MemorySegment to) {
      session.check();
      takes(times.operationNs());
      return file.now.read(at, to);
    }

    /** Writes as much as there is room for. */
    @Override
    public void write(long at, MemorySegment from) {
      session.check();
      takes(times.operationNs());
      int fits = 0;
      long room = session.room(kind);
      while (fits < from.byteSize()) {
        boolean isThere = file.now.hasPageAt(at + fits);
        if (!isThere && room < SparseBytes.PAGE_BYTES) {
          break;
        }
        room -= isThere ? 0 : SparseBytes.PAGE_BYTES;
        fits = (int) Math.min(from.byteSize(), fits + SparseBytes.restOfPage(at + fits));
      }
      if (fits > 0) {
        does(new Wrote(nowNs(), at, from.asSlice(0, fits).toArray(ValueLayout.JAVA_BYTE)));
      }
      if (fits < from.byteSize()) {
        throw new DiskException(Errno.ENOSPC, "the disk is full");
      }
    }

    @Override
    public void truncate(long bytes) {
      session.check();
      takes(times.operationNs());
      does(new Cut(nowNs(), bytes));
    }

    @Override
    public void punch(long at, long bytes) {
      session.check();
      takes(times.operationNs());
      does(new Punched(nowNs(), at, bytes));
    }

    @Override
    public long nextData(long at) {
      session.check();
      return file.now.nextData(at);
    }

    @Override
    public void sync() {
      session.check();
      takes(times.syncNs());
      file.isFailed |= failsSyncs;
      session.failIfAsked();
      if (!file.isFailed) {
        does(new Synced(nowNs()));
      }
    }

    @Override
    public void close() {
      // Nothing is held open.
    }
  }
}
