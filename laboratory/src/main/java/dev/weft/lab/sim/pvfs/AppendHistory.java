package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What clients have appended to one file. Each append has a number, which is in its bytes. One that was answered is in the file, whole, where its answer said;
 * it lies behind all that were answered before it began. One that failed may be there, or a part of it, or nothing, from the end that the file had on: so
 * there is a hole, or what no answer tells of, only where appends have failed.
 */
final class AppendHistory {
  /** Appends of a run: the number of one is in every second of its bytes. */
  static final int IDS_MAX = 127;

  private static final int MARK = 0x80;
  private static final long UNDER_WAY = Long.MIN_VALUE;

  /** One append. */
  final class Entry {
    private final int id;
    private final String client;
    private final int bytes;
    /** Answers before it began. */
    private final int after;
    private int answer;
    private long result = UNDER_WAY;

    private Entry(int id, String client, int bytes) {
      this.id = id;
      this.client = client;
      this.bytes = bytes;
      this.after = answers;
    }

    /** What its program has in memory. */
    void fill(MemorySegment memory) {
      for (int i = 0; i < bytes; i++) {
        memory.set(ValueLayout.JAVA_BYTE, i, byteAt(i));
      }
    }

    private byte byteAt(int i) {
      return (byte) (i % 2 == 0 ? MARK | id : 1 + i / 2 % (MARK - 1));
    }

    /** It is answered: the offset, or a negative errno. */
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

  /** One begins, with a number that no other one of the run has, 1 to {@link #IDS_MAX}. */
  Entry begin(int id, String client, int bytes) {
    Entry entry = new Entry(id, client, bytes);
    entries.add(entry);
    return entry;
  }

  /** The file as it is when all have ended. */
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

  /** Only appends that failed explain what nobody was told of; those that began before answer {@code until}, which is that of the append behind it. */
  private void checkGap(long from, long to, int until) {
    long explained = entries.stream().filter(entry -> !entry.isThere() && entry.after < until).mapToLong(entry -> entry.bytes).sum();
    if (to - from > explained) {
      violations.add(name + " has " + (to - from) + " bytes from " + from + " on that no append explains: " + explained + " bytes may be of those that failed");
    }
  }

  /** Whose bytes lie somewhere: one of two says so. */
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
