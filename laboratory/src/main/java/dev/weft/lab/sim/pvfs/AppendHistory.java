package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The appends of all clients to one file. Each append has a number, which is in its bytes. A successful append is in the file, whole, at the offset
 * of its answer, after all appends that were answered before it began. A failed append may be there completely, in part or not at all, from the end
 * that the file had. So holes and unknown bytes exist only where appends have failed.
 */
final class AppendHistory {
  /** Maximum number of appends of a run: every second byte of an append is its number. */
  static final int IDS_MAX = 127;

  private static final int MARK = 0x80;
  private static final long UNDER_WAY = Long.MIN_VALUE;

  /** One append. */
  final class Entry {
    private final int id;
    private final String client;
    private final int bytes;
    /** Number of answers before it began. */
    private final int after;
    private int answer;
    private long result = UNDER_WAY;

    private Entry(int id, String client, int bytes) {
      this.id = id;
      this.client = client;
      this.bytes = bytes;
      this.after = answers;
    }

    /** Fills the memory of its program with its bytes. */
    void fill(MemorySegment memory) {
      for (int i = 0; i < bytes; i++) {
        memory.set(ValueLayout.JAVA_BYTE, i, byteAt(i));
      }
    }

    private byte byteAt(int i) {
      return (byte) (i % 2 == 0 ? MARK | id : 1 + i / 2 % (MARK - 1));
    }

    /** The append is answered: the offset, or a negative errno. */
    void end(long answered) {
      result = answered;
      answer = ++answers;
      if (isThere()) {
        entries.stream().filter(other -> other != this && other.isThere()).forEach(this::checkBeside);
      }
    }

    private void checkBeside(Entry other) {
      if (result < other.end() && other.result < end()) {
        violations.add(this + " overlaps " + other);
      } else if (result < other.result && other.answer <= after) {
        violations.add(this + " lies before " + other + ", which was answered before it began");
      }
    }

    private boolean isThere() {
      return result >= 0;
    }

    private long end() {
      return result + bytes;
    }

    @Override
    public String toString() {
      return "append " + id + " of " + bytes + " bytes by " + client + " to " + name
          + (isThere() ? " at " + result : result == UNDER_WAY ? " (under way)" : " (" + Errno.name((int) -result) + ")");
    }
  }

  private final String name;
  private final Violations violations;
  private final List<Entry> entries = new ArrayList<>();
  private int answers;

  AppendHistory(String name, Violations violations) {
    this.name = name;
    this.violations = violations;
  }

  /** Begins an append with a number that is unique in the run, 1 to {@link #IDS_MAX}. */
  Entry begin(int id, String client, int bytes) {
    Entry entry = new Entry(id, client, bytes);
    entries.add(entry);
    return entry;
  }

  /** Checks the file when all appends have ended. */
  void check(MemorySegment content) {
    List<Entry> there = entries.stream().filter(Entry::isThere).sorted(Comparator.comparingLong(entry -> entry.result)).toList();
    long end = 0;
    for (Entry entry : there) {
      checkGap(end, entry.result, entry.answer);
      checkContent(entry, content);
      end = Math.max(end, entry.end());
    }
    checkGap(end, content.byteSize(), answers + 1);
  }

  private void checkContent(Entry entry, MemorySegment content) {
    if (entry.end() > content.byteSize()) {
      violations.add(entry + " is beyond the end of the file at " + content.byteSize());
      return;
    }
    for (int i = 0; i < entry.bytes; i++) {
      byte found = content.get(ValueLayout.JAVA_BYTE, entry.result + i);
      if (found != entry.byteAt(i)) {
        violations.add(entry + " is not whole: from byte " + i + " on there is " + owner(content, entry.result + i));
        return;
      }
    }
  }

  /** Bytes that no answer explains must belong to failed appends that began before answer {@code until}, which is that of the next append. */
  private void checkGap(long from, long to, int until) {
    long explained = entries.stream().filter(entry -> !entry.isThere() && entry.after < until).mapToLong(entry -> entry.bytes).sum();
    if (to - from > explained) {
      violations.add(name + " has " + (to - from) + " bytes from " + from + " on that no append explains: " + explained + " bytes may be of those that failed");
    }
  }

  /** The append whose bytes are at an offset; one of two bytes names it. */
  private String owner(MemorySegment content, long at) {
    for (long i = at; i < Math.min(at + 2, content.byteSize()); i++) {
      int found = content.get(ValueLayout.JAVA_BYTE, i);
      if (found < 0) {
        return entries.stream().filter(entry -> entry.id == (found & (MARK - 1))).map(Entry::toString).findFirst().orElse("what nobody has appended");
      }
    }
    return content.get(ValueLayout.JAVA_BYTE, at) == 0 ? "a hole" : "something else";
  }

  int count() {
    return entries.size();
  }

  int failedCount() {
    return (int) entries.stream().filter(entry -> !entry.isThere()).count();
  }
}
