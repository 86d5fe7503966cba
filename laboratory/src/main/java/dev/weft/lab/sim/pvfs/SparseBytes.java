package dev.weft.lab.sim.pvfs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The bytes of one file of a simulated disk, in pages of {@value #PAGE_BYTES}. Pages that were never written are zeros and take no room. */
final class SparseBytes {
  static final int PAGE_BYTES = 4096;

  private final TreeMap<Long, byte[]> pages = new TreeMap<>();
  private long bytes;

  SparseBytes copy() {
    SparseBytes copy = new SparseBytes();
    pages.forEach((index, page) -> copy.pages.put(index, page.clone()));
    copy.bytes = bytes;
    return copy;
  }

  long bytes() {
    return bytes;
  }

  /** Bytes of room that it takes. */
  long room() {
    return (long) pages.size() * PAGE_BYTES;
  }

  boolean hasPageAt(long at) {
    return pages.containsKey(at / PAGE_BYTES);
  }

  static int restOfPage(long at) {
    return PAGE_BYTES - (int) (at % PAGE_BYTES);
  }

  int read(long at, MemorySegment to) {
    int length = (int) Math.clamp(bytes - at, 0, to.byteSize());
    for (int done = 0; done < length;) {
      int piece = Math.min(length - done, restOfPage(at + done));
      byte[] from = pages.get((at + done) / PAGE_BYTES);
      if (from == null) {
        to.asSlice(done, piece).fill((byte) 0);
      } else {
        MemorySegment.copy(from, (int) ((at + done) % PAGE_BYTES), to, ValueLayout.JAVA_BYTE, done, piece);
      }
      done += piece;
    }
    return length;
  }

  void write(long at, byte[] from, int offset, int length) {
    for (int done = 0; done < length;) {
      int piece = Math.min(length - done, restOfPage(at + done));
      byte[] page = pages.computeIfAbsent((at + done) / PAGE_BYTES, _ -> new byte[PAGE_BYTES]);
      System.arraycopy(from, offset + done, page, (int) ((at + done) % PAGE_BYTES), piece);
      done += piece;
    }
    bytes = length == 0 ? bytes : Math.max(bytes, at + length);
  }

  void cut(long length) {
    if (length < bytes) {
      punch(length, bytes - length);
      pages.tailMap((length + PAGE_BYTES - 1) / PAGE_BYTES, true).clear();
    }
    bytes = length;
  }

  /** Makes a hole; the length stays. */
  void punch(long at, long length) {
    long end = at + length;
    Map<Long, byte[]> touched = pages.subMap(at / PAGE_BYTES, true, (end - 1) / PAGE_BYTES, true);
    touched.entrySet().removeIf(entry -> {
      long start = entry.getKey() * PAGE_BYTES;
      int from = (int) Math.max(0, at - start);
      int to = (int) Math.min(PAGE_BYTES, end - start);
      Arrays.fill(entry.getValue(), from, to, (byte) 0);
      return to - from == PAGE_BYTES;
    });
  }

  long nextData(long at) {
    Long index = pages.ceilingKey(at / PAGE_BYTES);
    return index == null ? bytes : Math.min(bytes, Math.max(at, index * PAGE_BYTES));
  }
}
