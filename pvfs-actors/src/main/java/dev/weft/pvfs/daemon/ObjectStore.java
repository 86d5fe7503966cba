package dev.weft.pvfs.daemon;

import dev.weft.pvfs.Errno;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.agrona.collections.LongHashSet;

/**
 * Local objects in files. Each block has a checksum that is checked at each read. {@link Sums} gives the guarantees: no crash makes a block
 * unreadable that was synced and not written since, and damage to such a block is detected. One thread; failures are {@link DiskException}s.
 *
 * <p>Bounds: {@code openMax} open objects, with {@code pagesMax} pages of checksums in memory; one operation may temporarily need more.
 */
final class ObjectStore {
  /** Closed objects that are to be synced at the end; beyond that number an object is synced when it is closed. */
  private static final int UNSYNCED_MAX = 65_536;

  private final Disk disk;
  private final int run;
  private final int openMax;
  private final int pagesMax;
  private final DiskCounters counters;
  private final Consumer<String> log;
  /** Open objects, in the order of their last use. */
  private final LinkedHashMap<Long, LocalObject> open = new LinkedHashMap<>(16, 0.75f, true);
  private final LongHashSet closedUnsynced = new LongHashSet();
  private final Blocks blocks;

  /**
   * @param run of the daemon: different from all earlier ones
   * @param log gets reports of damage
   */
  ObjectStore(Disk disk, int run, int openMax, int pagesMax, DiskCounters counters, Consumer<String> log) {
    this.disk = disk;
    this.run = run;
    this.openMax = openMax;
    this.pagesMax = pagesMax;
    this.counters = counters;
    this.log = log;
    this.blocks = new Blocks(run, counters, log);
  }

  /** Returns null if the object does not exist and must not be created. Throws if its data is lost. */
  private LocalObject find(long number, boolean makes) {
    return find(number, makes, false);
  }

  /** @param mayBeLost whether to return an object whose data is lost; its checksums stay */
  private LocalObject find(long number, boolean makes, boolean mayBeLost) {
    LocalObject object = open.get(number);
    if (object != null) {
      return object;
    }
    makeRoom();
    Disk.File data = disk.open(number, Disk.Kind.DATA, false);
    SumTable sums = null;
    try {
      sums = new SumTable(disk, number, run);
      if (!mayBeLost) {
        requireData(number, data, sums);
      }
      boolean isNew = data == null;
      if (isNew && makes) {
        if (!sums.hasClean(0)) {
          sums.forget(); // Remains of an incomplete removal.
        }
        data = disk.open(number, Disk.Kind.DATA, true);
        counters.objects.incrementAndGet();
      }
      if (data == null) {
        sums.close();
        return null;
      }
      object = new LocalObject(number, data, sums);
      if (isNew) {
        object.isNew = true;
        object.changes();
      }
      open.put(number, object);
      return object;
    } catch (DiskException refused) {
      if (data != null) {
        data.close();
      }
      if (sums != null) {
        sums.close();
      }
      throw refused;
    }
  }

  /** Throws if the file is shorter than its checksums require: the data was synced, and something has removed it, so it must not read as zeros. */
  private void requireData(long number, Disk.File data, SumTable sums) {
    long bytes = data == null ? 0 : data.bytes();
    if (sums.hasClean(firstBehind(bytes))) {
      counters.checksumErrors.incrementAndGet();
      String message = "data of object " + number + " is lost: there are checksums beyond the " + bytes
          + " bytes that it has; restore it, or remove the file or cut it to 0 bytes";
      log.accept(message);
      throw new DiskException(Errno.EIO, message);
    }
  }

  private void makeRoom() {
    long pages = open.values().stream().mapToLong(each -> each.sums.pages()).sum();
    Iterator<LocalObject> oldest = open.values().iterator();
    while (oldest.hasNext() && (open.size() >= openMax || pages > pagesMax)) {
      LocalObject object = oldest.next();
      int had = object.sums.pages();
      try {
        object.sums.dropPages();
        pages -= had;
        if (object.mayClose() && open.size() >= openMax) {
          object.sums.syncMarks();
          close(object);
          oldest.remove();
        }
      } catch (DiskException full) {
        counters.errors.incrementAndGet(); // The object stays open: its state in memory must not be lost.
      }
    }
  }

  private void close(LocalObject object) {
    if (object.isChanged && closedUnsynced.size() < UNSYNCED_MAX) {
      closedUnsynced.add(object.number);
    } else if (object.isChanged) {
      sync(object);
    }
    object.close();
  }

  /** Returns the length of an object; 0 if there is none. */
  long bytes(long number) {
    LocalObject object = find(number, false);
    return object == null ? 0 : object.bytes;
  }

  // Reads.

  /** Fills {@code to}, with zeros where the object has no data. */
  void read(long number, long offset, MemorySegment to) {
    LocalObject object = find(number, false);
    long end = object == null ? offset : Math.clamp(object.bytes, offset, offset + to.byteSize());
    for (long at = offset; at < end;) {
      long start = at / Sums.BLOCK_BYTES * Sums.BLOCK_BYTES;
      long blockEnd = Math.min(start + Sums.BLOCK_BYTES, object.fileBytes);
      if (at == start && blockEnd <= end) {
        at += readWhole(object, at, to.asSlice(at - offset, end - at));
      } else {
        long pieceEnd = Math.min(blockEnd, end);
        int had = blocks.load(object, start);
        blocks.check(object, start / Sums.BLOCK_BYTES, blocks.block.asSlice(0, had));
        MemorySegment.copy(blocks.block, at - start, to, at - offset, pieceEnd - at);
        counters.bytesCopied.addAndGet(pieceEnd - at);
        at = pieceEnd;
      }
    }
    to.asSlice(Math.max(0, end - offset)).fill((byte) 0);
  }

  /** Reads whole blocks, and possibly the last one of the file, directly to their destination; returns how many bytes. */
  private long readWhole(LocalObject object, long at, MemorySegment to) {
    long whole = at + to.byteSize() == object.fileBytes ? to.byteSize() : to.byteSize() / Sums.BLOCK_BYTES * Sums.BLOCK_BYTES;
    MemorySegment into = to.asSlice(0, whole);
    int had = object.data.read(at, into);
    counters.bytesRead.addAndGet(had);
    into.asSlice(had).fill((byte) 0);
    for (long done = 0; done < whole; done += Sums.BLOCK_BYTES) {
      blocks.check(object, (at + done) / Sums.BLOCK_BYTES, into.asSlice(done, Math.min(Sums.BLOCK_BYTES, whole - done)));
    }
    return whole;
  }

  // Writes.

  /** Begins a write, whose parts follow until {@link #endWrite}. */
  void beginWrite(long number) {
    find(number, true).writing++;
  }

  /** Marks clean blocks of a range as about to change; {@link #syncMarks} must follow, for many calls together. */
  void mark(long number, long offset, long bytes) {
    LocalObject object = find(number, false);
    if (object != null && bytes > 0) {
      object.sums.mark(offset / Sums.BLOCK_BYTES, (offset + bytes - 1) / Sums.BLOCK_BYTES + 1, false);
    }
  }

  /** Makes the marks durable. */
  void syncMarks(long number) {
    LocalObject object = open.get(number);
    if (object != null && object.sums.syncMarks()) {
      counters.marks.incrementAndGet();
    }
  }

  /** Writes a part, between {@link #beginWrite} and {@link #endWrite}. */
  void write(long number, long offset, MemorySegment from) {
    LocalObject object = find(number, true);
    long end = offset + from.byteSize();
    mark(number, offset, from.byteSize());
    syncMarks(number);
    object.changes();
    long first = offset / Sums.BLOCK_BYTES;
    object.sums.load(first, (end - 1) / Sums.BLOCK_BYTES);
    int[] found = new int[(int) ((end - 1) / Sums.BLOCK_BYTES - first) + 1];
    for (int i = 0; i < found.length; i++) {
      found[i] = after(object, (first + i) * Sums.BLOCK_BYTES, offset, from);
    }
    try {
      object.data.write(offset, from);
    } catch (DiskException failed) {
      object.fileBytes = object.data.bytes();
      for (int i = 0; i < found.length && (first + i) * Sums.BLOCK_BYTES < object.fileBytes; i++) { // Blocks behind it have no known checksum.
        object.sums.put(first + i, Sums.unknown());
      }
      throw failed;
    }
    object.fileBytes = Math.max(object.fileBytes, end);
    for (int i = 0; i < found.length; i++) {
      object.sums.put(first + i, Sums.dirty(found[i], run));
    }
    counters.bytesWritten.addAndGet(from.byteSize());
  }

  /** Returns the checksum of the block at {@code start} after the write. The remaining old bytes of the block are checked first. */
  private int after(LocalObject object, long start, long offset, MemorySegment from) {
    long begin = Math.max(start, offset);
    long end = Math.min(start + Sums.BLOCK_BYTES, offset + from.byteSize());
    MemorySegment part = from.asSlice(begin - offset, end - begin);
    if (begin == start && (end == start + Sums.BLOCK_BYTES || end >= object.fileBytes)) {
      return blocks.sumOf(part); // Nothing of the old block remains.
    }
    if (start < object.fileBytes) {
      int had = blocks.load(object, start);
      if (!blocks.isGood(object, start / Sums.BLOCK_BYTES, blocks.block.asSlice(0, had))) {
        object.sums.keepsBad(start / Sums.BLOCK_BYTES);
        throw blocks.bad(object, start / Sums.BLOCK_BYTES);
      }
    } else {
      blocks.block.fill((byte) 0);
    }
    MemorySegment.copy(part, 0, blocks.block, begin - start, part.byteSize());
    counters.bytesCopied.addAndGet(part.byteSize());
    return blocks.sumOf(blocks.block);
  }

  /**
   * Ends a write; a failed one leaves nothing beyond the object's length.
   *
   * @param end end of the write, if it succeeded
   */
  void endWrite(long number, long end, boolean isGood) {
    LocalObject object = open.get(number);
    if (object == null) {
      return; // The object was removed, or the write never began.
    }
    object.writing--;
    if (isGood) {
      object.bytes = Math.max(object.bytes, end);
    } else {
      object.isTainted = true;
    }
    if (object.writing == 0 && object.isTainted) {
      if (object.fileBytes > object.bytes) {
        cut(object, object.bytes);
      }
      object.isTainted = false;
    }
  }

  // Lengths.

  /**
   * Cuts or extends an object, even one whose data is lost; otherwise the client that cuts it would wait for ever. Bytes below the length that the
   * disk has lost stay bad.
   */
  void truncate(long number, long bytes) {
    LocalObject object = find(number, true, true);
    object.changes();
    if (bytes < object.fileBytes) {
      cut(object, bytes);
    } else {
      forgetFrom(object, firstBehind(bytes)); // For lost data.
      if (bytes > object.fileBytes) {
        object.data.truncate(bytes); // What follows are zeros without a known checksum.
      }
    }
    object.fileBytes = bytes;
    object.bytes = bytes;
  }

  /** Extends an object that is shorter; returns its length. */
  long extend(long number, long bytes) {
    LocalObject object = find(number, true);
    if (bytes > object.fileBytes) {
      object.changes();
      object.data.truncate(bytes);
      object.fileBytes = bytes;
    }
    object.bytes = Math.max(object.bytes, bytes);
    return object.bytes;
  }

  /** Returns the first block that lies completely beyond so many bytes. */
  private static long firstBehind(long bytes) {
    return bytes / Sums.BLOCK_BYTES + (bytes % Sums.BLOCK_BYTES == 0 ? 0 : 1);
  }

  /**
   * Durably drops checksums from a block on, with the marks made before. After a failed sync of the checksums, none of them counts as synced; cutting
   * and extending then continue. After a power failure a part of a block may give EIO, but no client waits for the impossible.
   */
  private void forgetFrom(LocalObject object, long block) {
    object.sums.mark(block, Long.MAX_VALUE / Sums.BLOCK_BYTES, true);
    if (!object.sums.hasFailedToSync() && object.sums.syncMarks()) {
      counters.marks.incrementAndGet();
    }
  }

  private void cut(LocalObject object, long bytes) {
    long firstGone = firstBehind(bytes);
    boolean isPart = bytes % Sums.BLOCK_BYTES != 0;
    if (isPart) {
      object.sums.mark(firstGone - 1, firstGone, false);
    }
    forgetFrom(object, firstGone);
    zeroing(object, isPart ? firstGone - 1 : -1, bytes % Sums.BLOCK_BYTES, Sums.BLOCK_BYTES, () -> object.data.truncate(bytes));
    object.fileBytes = bytes;
  }

  /** Sets the bytes from {@code offset} to before {@code to} to zeros, as far as the object reaches. */
  void punch(long number, long offset, long to) {
    LocalObject object = find(number, false);
    long end = object == null ? 0 : Math.min(to, object.fileBytes);
    if (end <= offset) {
      return;
    }
    object.changes();
    long first = offset / Sums.BLOCK_BYTES;
    long last = (end - 1) / Sums.BLOCK_BYTES;
    object.sums.mark(first, first + 1, false);
    object.sums.mark(last, last + 1, false);
    boolean isFirstWhole = offset % Sums.BLOCK_BYTES == 0 && end - offset >= Sums.BLOCK_BYTES;
    boolean isLastWhole = end % Sums.BLOCK_BYTES == 0 && end - offset >= Sums.BLOCK_BYTES;
    long wholeFrom = isFirstWhole ? first : first + 1;
    long wholeTo = isLastWhole ? last + 1 : last;
    if (wholeFrom < wholeTo) {
      object.sums.mark(wholeFrom, wholeTo, true);
    }
    if (object.sums.syncMarks()) {
      counters.marks.incrementAndGet();
    }
    Runnable punch = () -> object.data.punch(offset, end - offset);
    Runnable withLast = isLastWhole || last == first && isFirstWhole ? punch
        : () -> zeroing(object, last, last == first ? offset - first * Sums.BLOCK_BYTES : 0, (int) (end - last * Sums.BLOCK_BYTES), punch);
    if (isFirstWhole || last == first) {
      withLast.run();
    } else {
      zeroing(object, first, offset - first * Sums.BLOCK_BYTES, Sums.BLOCK_BYTES, withLast);
    }
  }

  /** Runs an action that sets a part of a block to zeros, and records the new checksum; a bad block stays bad. */
  private void zeroing(LocalObject object, long index, long from, int to, Runnable action) {
    if (index < 0) {
      action.run();
      return;
    }
    int had = blocks.load(object, index * Sums.BLOCK_BYTES);
    boolean isGood = blocks.isGood(object, index, blocks.block.asSlice(0, had));
    if (!isGood) {
      object.sums.keepsBad(index);
    }
    blocks.block.asSlice(from, to - from).fill((byte) 0);
    int then = blocks.sumOf(blocks.block);
    try {
      action.run();
    } catch (DiskException failed) {
      object.sums.put(index, Sums.unknown());
      throw failed;
    }
    if (isGood) {
      object.sums.put(index, Sums.dirty(then, run));
    }
  }

  /** Returns false if there was none. */
  boolean remove(long number) {
    LocalObject object = open.remove(number);
    if (object != null) {
      object.close();
    }
    closedUnsynced.remove(number);
    disk.remove(number, Disk.Kind.SUMS); // First: checksums without data would mean lost data.
    boolean was = disk.remove(number, Disk.Kind.DATA);
    if (was) {
      counters.objects.decrementAndGet();
    }
    return was;
  }

  // Disk.

  /** Syncs all of an object to the disk. */
  void sync(long number) {
    LocalObject object = find(number, false);
    if (object != null) {
      sync(object);
    }
  }

  private void sync(LocalObject object) {
    if (object.syncFailed) {
      throw new DiskException(Errno.EIO, "object " + object.number + " could not be synced before; what the disk has of it is not known");
    }
    if (!object.isUnsynced) {
      return;
    }
    try {
      syncOnce(object, object.data::sync);
      if (object.isNew) { // Otherwise a power failure may leave the checksums without a file that has the data.
        syncOnce(object, () -> disk.syncName(object.number));
      }
      object.sums.clean(); // It knows whether a retry makes sense.
      syncOnce(object, () -> disk.syncName(object.number));
    } catch (DiskException failed) {
      log.accept("object " + object.number + " cannot be synced: " + failed.getMessage());
      throw failed;
    }
    object.isNew = false;
    object.isUnsynced = false;
    object.isChanged = false;
    closedUnsynced.remove(object.number);
    counters.syncs.incrementAndGet();
  }

  /** Syncs once. After a failure, also for lack of space, the kernel may have dropped the data; a retry would succeed and mean nothing. */
  private static void syncOnce(LocalObject object, Runnable sync) {
    try {
      sync.run();
    } catch (DiskException lost) {
      object.syncFailed = true;
      throw lost;
    }
  }

  /** As {@link Blocks#scrub}. */
  Scrubbed scrub(long number, long offset, long most) {
    return blocks.scrub(find(number, false), offset, most);
  }

  /** Syncs all changed objects and closes them; failures are logged. */
  void close() {
    List<Long> numbers = new ArrayList<>();
    for (Map.Entry<Long, LocalObject> each : open.entrySet()) {
      if (each.getValue().isChanged) {
        numbers.add(each.getKey());
      }
    }
    LongHashSet.LongIterator closed = closedUnsynced.iterator();
    while (closed.hasNext()) {
      numbers.add(closed.nextValue());
    }
    for (long number : numbers) {
      try {
        sync(number);
      } catch (DiskException failed) {
        counters.errors.incrementAndGet(); // The failure is logged.
      }
    }
    open.values().forEach(LocalObject::close);
    open.clear();
  }
}
