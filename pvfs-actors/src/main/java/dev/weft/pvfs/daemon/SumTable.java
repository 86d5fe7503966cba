package dev.weft.pvfs.daemon;

import dev.weft.pvfs.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;
import org.agrona.collections.LongHashSet;

/**
 * The checksums of the blocks of one object: pages of the file beside its data, some of them in memory. A page in memory is the newest version. One
 * thread.
 */
final class SumTable {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final class Page {
    final MemorySegment bytes = Arena.ofAuto().allocate(Sums.PAGE_BYTES, 64);
    boolean isChanged;
    /** It has marks that are not written. */
    boolean hasMarks;
  }

  /** Pages in memory: 1 MiB for 8 GiB of data; others are read on demand. */
  private static final int PAGES_MAX = 256;

  private final Disk disk;
  private final long object;
  private final int run;
  private final Long2ObjectHashMap<Page> pages = new Long2ObjectHashMap<>();
  /** Pages with dirty blocks, except those that {@link #scans} covers. */
  private final LongHashSet unsynced = new LongHashSet();
  /** Other pages on the disk may have dirty blocks, too. */
  private boolean scans;
  private Disk.File file;
  private boolean marksWritten;
  private boolean syncFailed;

  /** Opens the table of an object. A missing file is created on demand. */
  SumTable(Disk disk, long object, int run) {
    this.disk = disk;
    this.object = object;
    this.run = run;
    file = disk.open(object, Disk.Kind.SUMS, false);
    scans = file != null;
  }

  /** Drops all checksums of an object without data. */
  void forget() {
    if (file != null) {
      close();
      file = null;
      pages.clear();
      scans = false;
      disk.remove(object, Disk.Kind.SUMS);
    }
  }

  /** Whether a block from {@code first} on has a checksum that was synced, so the disk must have it. */
  boolean hasClean(long first) {
    if (file == null) {
      return false;
    }
    long end = file.bytes();
    for (long at = nextPage(file, first / Sums.PAGE_ENTRIES * Sums.PAGE_BYTES); at < end; at = nextPage(file, at + Sums.PAGE_BYTES)) {
      Page page = page(at / Sums.PAGE_BYTES);
      long firstEntry = Math.max(0, first - at / Sums.ENTRY_BYTES);
      for (long entry = firstEntry * Sums.ENTRY_BYTES; entry < Sums.PAGE_BYTES; entry += Sums.ENTRY_BYTES) {
        if (Sums.isClean(page.bytes.get(LONG, entry))) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns where the first written page from there on begins; beyond the end of the file if there is none. */
  private static long nextPage(Disk.File file, long from) {
    long data = file.nextData(from);
    return data < from ? Long.MAX_VALUE : data / Sums.PAGE_BYTES * Sums.PAGE_BYTES; // A smaller offset means that the file was cut.
  }

  int pages() {
    return pages.size();
  }

  long get(long block) {
    return page(block / Sums.PAGE_ENTRIES).bytes.get(LONG, block % Sums.PAGE_ENTRIES * Sums.ENTRY_BYTES);
  }

  /** Returns the first block of a range that may have a checksum; {@code to} if there is none. Skips missing pages. */
  long next(long from, long to) {
    long first = from / Sums.PAGE_ENTRIES;
    if (pages.containsKey(first)) {
      return from;
    }
    long next = to / Sums.PAGE_ENTRIES + 1;
    Long2ObjectHashMap<Page>.KeyIterator inMemory = pages.keySet().iterator();
    while (inMemory.hasNext()) {
      long index = inMemory.nextLong();
      next = index > first ? Math.min(next, index) : next;
    }
    if (file != null) {
      long at = nextPage(file, first * Sums.PAGE_BYTES);
      next = at < file.bytes() ? Math.min(next, at / Sums.PAGE_BYTES) : next;
    }
    return Math.clamp(next * Sums.PAGE_ENTRIES, from, to);
  }

  /** Loads the pages of a range of blocks, so that their checksums can be changed. */
  void load(long first, long last) {
    page(first / Sums.PAGE_ENTRIES);
    page(last / Sums.PAGE_ENTRIES);
  }

  /** Sets the entry of a block that is not clean on the disk. */
  void put(long block, long entry) {
    long index = block / Sums.PAGE_ENTRIES;
    Page page = page(index);
    page.bytes.set(LONG, block % Sums.PAGE_ENTRIES * Sums.ENTRY_BYTES, entry);
    page.isChanged = true;
    if (entry != Sums.NONE) {
      unsynced.add(index);
    }
  }

  /**
   * A block that differs from its synced checksum will not be changed: durably takes back the mark that announced the change. Otherwise a crash would
   * make its content acceptable.
   */
  void keepsBad(long block) {
    long entry = get(block);
    if (Sums.isDirty(entry, run) && file != null) {
      long index = block / Sums.PAGE_ENTRIES;
      Page page = page(index);
      page.bytes.set(LONG, block % Sums.PAGE_ENTRIES * Sums.ENTRY_BYTES, Sums.clean(Sums.crc(entry)));
      page.isChanged = true;
      flush(index, page);
      sync();
    }
  }

  /** Whether a sync of its file has failed. */
  boolean hasSyncFailed() {
    return syncFailed;
  }

  private Page page(long index) {
    Page page = pages.get(index);
    if (page == null) {
      if (pages.size() >= PAGES_MAX) {
        dropPages();
      }
      page = new Page();
      if (file != null) {
        file.read(index * Sums.PAGE_BYTES, page.bytes);
      }
      pages.put(index, page);
    }
    return page;
  }

  /**
   * Marks clean blocks before they change. The marks are durable after {@link #syncMarks}.
   *
   * @param forgets whether to drop the entries, because the blocks go
   */
  void mark(long from, long to, boolean forgets) {
    if (file == null && !forgets) {
      return; // No block was ever clean.
    }
    LongArrayList indexes = pagesOf(from / Sums.PAGE_ENTRIES, (to - 1) / Sums.PAGE_ENTRIES);
    for (int i = 0; i < indexes.size(); i++) {
      long index = indexes.getLong(i);
      markPage(index, Math.max(from, index * Sums.PAGE_ENTRIES), Math.min(to, (index + 1) * Sums.PAGE_ENTRIES), forgets);
    }
  }

  private void markPage(long index, long from, long to, boolean forgets) {
    Page page = page(index);
    boolean wasClean = false;
    for (long block = from; block < to; block++) {
      long at = block % Sums.PAGE_ENTRIES * Sums.ENTRY_BYTES;
      long entry = page.bytes.get(LONG, at);
      boolean isClean = Sums.isClean(entry);
      wasClean |= isClean;
      if (forgets ? entry != Sums.NONE : isClean) {
        page.bytes.set(LONG, at, forgets ? Sums.NONE : Sums.dirty(Sums.crc(entry), run));
        page.isChanged = true;
      }
    }
    if (!forgets && wasClean) {
      unsynced.add(index);
    }
    page.hasMarks |= wasClean;
    if (page.hasMarks) {
      flush(index, page);
    }
  }

  /** Returns the pages of a range, in memory and on the disk; the range may exceed the object by far. */
  private LongArrayList pagesOf(long first, long last) {
    LongHashSet all = new LongHashSet();
    pages.forEachLong((index, page) -> {
      if (index >= first && index <= last) {
        all.add(index);
      }
    });
    if (file != null) {
      long end = file.bytes();
      for (long at = nextPage(file, first * Sums.PAGE_BYTES); at < end && at <= last * Sums.PAGE_BYTES; at = nextPage(file, at + Sums.PAGE_BYTES)) {
        all.add(at / Sums.PAGE_BYTES);
      }
    }
    LongArrayList indexes = new LongArrayList();
    LongHashSet.LongIterator each = all.iterator();
    while (each.hasNext()) {
      indexes.addLong(each.nextValue());
    }
    return indexes;
  }

  /** Makes the marks durable; returns whether that needed a wait. */
  boolean syncMarks() {
    boolean waits = marksWritten;
    if (waits) {
      sync();
    }
    return waits;
  }

  private void flush(long index, Page page) {
    if (page.isChanged) {
      if (file == null) {
        file = disk.open(object, Disk.Kind.SUMS, true);
      }
      marksWritten |= page.hasMarks;
      file.write(index * Sums.PAGE_BYTES, page.bytes);
      page.isChanged = false;
      page.hasMarks = false;
    }
  }

  /** The data has been synced: its entries become clean, and durable, too. */
  void clean() {
    LongArrayList indexes;
    if (scans) {
      indexes = pagesOf(0, Long.MAX_VALUE / Sums.PAGE_BYTES);
    } else {
      indexes = new LongArrayList();
      LongHashSet.LongIterator each = unsynced.iterator();
      while (each.hasNext()) {
        indexes.addLong(each.nextValue());
      }
    }
    for (int i = 0; i < indexes.size(); i++) {
      cleanPage(indexes.getLong(i));
    }
    if (file != null) {
      sync();
    }
    unsynced.clear();
    scans = false;
  }

  /** A single failure counts: from then on the state of the disk is unknown until the daemon restarts. */
  boolean hasFailedToSync() {
    return syncFailed;
  }

  private void sync() {
    if (syncFailed) { // The kernel may have dropped the data: a retry would succeed and mean nothing.
      throw new DiskException(Errno.EIO, "checksums of object " + object + " could not be synced before; what the disk has of them is not known");
    }
    syncFailed = true;
    file.sync();
    syncFailed = false;
    marksWritten = false;
  }

  private void cleanPage(long index) {
    Page page = page(index);
    for (long at = 0; at < Sums.PAGE_BYTES; at += Sums.ENTRY_BYTES) {
      long entry = page.bytes.get(LONG, at);
      if (Sums.isDirty(entry, run)) {
        page.bytes.set(LONG, at, Sums.clean(Sums.crc(entry)));
        page.isChanged = true;
      }
    }
    flush(index, page);
  }

  /** Writes the pages in memory, without a sync, and drops them. */
  void dropPages() {
    scans |= !unsynced.isEmpty(); // A scan finds them again.
    pages.forEachLong(this::flush);
    pages.clear();
  }

  /** Call it after {@link #dropPages} and {@link #syncMarks} if the object may be used again. */
  void close() {
    if (file != null) {
      file.close();
    }
  }
}
