package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.layout.Striping;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What was done to the bytes of one file, and what a read may show because of it. Bytes go in cells of {@value #CELL}: each has the number of the write
 * that it came with, and its place, or is zero.
 *
 * <ul>
 *   <li>A read sees, in each cell, something that was begun before the read ended, and that nothing followed that was answered before the read began.
 *       Of writes side by side it may see either, in each cell another.
 *   <li>Cutting a file, making holes and the loss of a daemon's memory write zeros. What was answered before a daemon in memory died is lost, and what is
 *       written after another one took its place is not.
 *   <li>A write that failed with EIO, or whose client died, may happen at any later time; one that failed for lack of room, until it was answered.
 *   <li>A write that was seen and then was not is not seen again: nothing is done twice. But if a daemon had some of its data when the connection was lost,
 *       it is all written again; until it returns, that may be seen.
 *   <li>Zeros where nobody wrote zeros are a hole: something else, or the same write at another daemon, must have made the file longer.
 *   <li>A power failure of a daemon with a disk may undo, in each cell for itself, what was not synced before: what had begun when it came and was not
 *       followed by a sync that was answered. Until it is overwritten, one of these is seen or what was synced last.
 *   <li>Where a change was answered and may be undone so, the next sync of who made it says so ({@link ToldLosses}).
 *   <li>The length is at least that of each write that was answered before, unless the file was cut since, and at most that of anything that has begun.
 * </ul>
 */
final class FileHistory {
  /** What is one request for sure: the shortest that {@link PvfsScenario} draws. */
  private static final int ONE_REQUEST_BYTES = 4096;
  static final int CELL = 4;
  /** Of writes in one run; their numbers fit into half of a cell. */
  static final int IDS_MAX = 1 << 15;
  static final long OPEN = Long.MAX_VALUE;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  /** Something that changes bytes. */
  static final class Change {
    private final String what;
    private final int id;
    final long[] offsets;
    final long[] lengths;
    /** Everything from here on becomes zero, and the file ends there; -1 for none. */
    final long cutTo;
    /** Whose stripes are lost; -1 for none. */
    final int daemon;
    private final boolean extendsFile;
    final long begin;
    long end = OPEN;
    boolean isDone;

    private Change(String what, int id, long[] offsets, long[] lengths, long cutTo, int daemon, boolean extendsFile, long begin) {
      this.what = what;
      this.id = id;
      this.offsets = offsets;
      this.lengths = lengths;
      this.cutTo = cutTo;
      this.daemon = daemon;
      this.extendsFile = extendsFile;
      this.begin = begin;
    }

    private boolean covers(long offset, Striping striping) {
      if (daemon >= 0) {
        return striping.daemonOf(striping.slotOf(offset)) == daemon;
      }
      if (cutTo >= 0) {
        return offset >= cutTo;
      }
      for (int i = 0; i < offsets.length; i++) {
        if (offset >= offsets[i] && offset < offsets[i] + lengths[i]) {
          return true;
        }
      }
      return false;
    }

    /** How far the file reaches because of it. */
    private long reach() {
      long reach = Math.max(0, cutTo);
      for (int i = 0; extendsFile && i < offsets.length; i++) {
        reach = Math.max(reach, offsets[i] + lengths[i]);
      }
      return reach;
    }

    @Override
    public String toString() {
      return what + " [" + begin + ".." + (end == OPEN ? "" : end) + (isDone ? "]" : ", not done]");
    }
  }

  /** All that was done before it to the stripes of a daemon, of all for -1, is on the disk after it. */
  private record Sync(int daemon, long begin, long end) {}

  private record PowerFailure(int daemon, long at) {}

  /** Of one write, or of zeros, in one read. */
  private record Seen(int id, long from, long to, long begin, long end) {
    boolean overlaps(long otherFrom, long otherTo) {
      return from < otherTo && otherFrom < to;
    }
  }

  private final String name;
  private final Striping striping;
  private final Violations violations;
  private final List<Change> changes = new ArrayList<>();
  private final List<Seen> seen = new ArrayList<>();
  /** What is wrong unless a daemon had some data of a write whose connection was lost. */
  private final List<String> suspicions = new ArrayList<>();
  private final List<Sync> syncs = new ArrayList<>();
  private final List<PowerFailure> powerFailures = new ArrayList<>();
  private final ToldLosses told;
  /** A daemon has died, and with it what it knew of requests that are repeated. */
  private boolean hadLoss;

  FileHistory(String name, Striping striping, Violations violations) {
    this.name = name;
    this.striping = striping;
    this.violations = violations;
    this.told = new ToldLosses(name, striping, violations);
    Change nothing = new Change("made", 0, new long[0], new long[0], 0, -1, false, -1);
    end(nothing, -1, true);
    changes.add(nothing);
  }

  Striping striping() {
    return striping;
  }

  /** What syncs have to tell of what is lost. */
  ToldLosses told() {
    return told;
  }

  // What is done.

  Change write(int id, long[] offsets, long[] lengths, long begin) {
    return add(new Change("write " + id + ranges(offsets, lengths), id, offsets, lengths, -1, -1, true, begin));
  }

  Change punch(long offset, long length, long begin) {
    return add(new Change("hole from " + offset + " of " + length, 0, new long[] {offset}, new long[] {length}, -1, -1, false, begin));
  }

  Change cut(long length, long begin) {
    return add(new Change("cut to " + length, 0, new long[0], new long[0], length, -1, false, begin));
  }

  Change lose(int daemon, long begin) {
    hadLoss = true;
    Change loss = add(new Change("loss of daemon " + daemon, 0, new long[0], new long[0], -1, daemon, false, begin));
    told.ends(loss);
    return loss;
  }

  /** A daemon that keeps stripes on a disk is another one now: nothing is lost, but it does again what is asked again. */
  void replaced() {
    hadLoss = true;
  }

  /** A daemon's machine fails, and with it what its disk was not made to keep. */
  void losePower(int daemon, long at) {
    hadLoss = true;
    powerFailures.add(new PowerFailure(daemon, at));
    told.losePower(daemon, at);
  }

  /** A sync was answered, of one daemon or, for -1, of all. */
  void synced(int daemon, long begin, long end) {
    syncs.add(new Sync(daemon, begin, end));
  }

  /** Whether no power failure of a daemon can have undone what was done there. */
  private boolean isSettled(Change change, int ofDaemon) {
    for (PowerFailure failure : powerFailures) {
      boolean mayUndo = failure.daemon == ofDaemon && failure.at > change.begin;
      if (mayUndo && syncs.stream().noneMatch(sync -> (sync.daemon < 0 || sync.daemon == ofDaemon) && sync.begin > change.end && sync.end < failure.at)) {
        return false;
      }
    }
    return true;
  }

  private boolean isSettledEverywhere(Change change) {
    for (int slot = 0; slot < striping.count(); slot++) {
      if (!isSettled(change, striping.daemonOf(slot))) {
        return false;
      }
    }
    return true;
  }

  private Change add(Change change) {
    changes.add(change);
    return change;
  }

  /** It happens no more from now on, and has happened if {@code isDone}. */
  static void end(Change change, long at, boolean isDone) {
    change.end = at;
    change.isDone = isDone;
  }

  private static String ranges(long[] offsets, long[] lengths) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < offsets.length; i++) {
      text.append(" ").append(offsets[i]).append("+").append(lengths[i]);
    }
    return text.toString();
  }

  /** What a write leaves in its cells. */
  static void fill(MemorySegment memory, int id, long offset) {
    for (long at = 0; at < memory.byteSize(); at += CELL) {
      memory.set(INT, at, id << 16 | place(offset + at));
    }
  }

  private static int place(long offset) {
    return (int) (offset / CELL) & 0xffff;
  }

  // What is seen.

  /**
   * A read from {@code offset} on, from moment {@code begin} to now.
   *
   * @param bytes that the file has of it, as it said
   */
  void check(String reader, long offset, MemorySegment memory, long bytes, long begin, long end) {
    long at = 0;
    while (at < memory.byteSize()) {
      int id = idAt(memory, at, offset);
      long from = at;
      while (at < memory.byteSize() && idAt(memory, at, offset) == id && at < bytes == from < bytes) {
        at += CELL;
      }
      if (from >= bytes && id != 0) {
        violations.add(reader + " of " + name + " ends after " + bytes + " bytes, but has data " + id + " at " + (offset + from));
      } else if (from < bytes) {
        checkRun(reader, id, offset + from, offset + at, begin);
        checkAgain(reader, new Seen(id, offset + from, offset + at, begin, end));
      }
    }
  }

  /** -1 for what no write leaves there. */
  private static int idAt(MemorySegment memory, long at, long offset) {
    int cell = memory.get(INT, at);
    return cell == 0 ? 0 : (cell & 0xffff) == place(offset + at) && cell > 0 ? cell >>> 16 : -1;
  }

  private void checkRun(String reader, int id, long from, long to, long begin) {
    for (long part : parts(from, to)) {
      if (!mayShow(id, part, begin)) {
        violations.add(reader + " of " + name + ", begun at " + begin + ", shows " + (id < 0 ? "what nobody wrote" : id == 0 ? "zeros" : "write " + id)
            + " from " + part + " to below " + to + "; " + striping + "; " + changesOf(part));
        return;
      }
      if (id == 0 && !mayBeHole(part, begin)) {
        violations.add(reader + " of " + name + ", begun at " + begin + ", shows zeros from " + part + " to below " + to
            + ", but what made the file so long has written there; " + striping + "; " + changes);
        return;
      }
    }
  }

  /** A write that was seen, and then something else in its place, is not seen again: it is done once. What a daemon has lost may be written again. */
  private void checkAgain(String reader, Seen now) {
    for (Seen other : seen) {
      boolean isBetween = other.id != now.id && other.overlaps(now.from, now.to) && other.end < now.begin;
      for (Seen first : isBetween && now.id > 0 && !hadLoss ? seen : List.<Seen>of()) {
        long from = Math.max(now.from, other.from);
        if (first.id == now.id && first.end < other.begin && first.overlaps(from, Math.min(now.to, other.to))) {
          String wrong = reader + " of " + name + ", begun at " + now.begin + ", shows write " + now.id + " again from " + from + ", in whose place "
              + other + " was seen meanwhile; " + changesOf(from);
          if (changes.stream().anyMatch(change -> change.id == now.id && change.end < other.begin)) {
            violations.add(wrong);
          } else {
            suspicions.add(wrong);
          }
          return;
        }
      }
    }
    seen.add(now);
  }

  List<String> suspicions() {
    return suspicions;
  }

  /** Where something else may have happened than right before. */
  private TreeSet<Long> parts(long from, long to) {
    TreeSet<Long> parts = new TreeSet<>();
    parts.add(from);
    boolean hasLoss = !powerFailures.isEmpty();
    for (Change change : changes) {
      hasLoss |= change.daemon >= 0;
      addIfInside(parts, change.cutTo, from, to);
      for (int i = 0; i < change.offsets.length; i++) {
        addIfInside(parts, change.offsets[i], from, to);
        addIfInside(parts, change.offsets[i] + change.lengths[i], from, to);
      }
    }
    for (long stripe = from + striping.restOfStripe(from); hasLoss && stripe < to; stripe += striping.stripeBytes()) {
      parts.add(stripe);
    }
    return parts;
  }

  private static void addIfInside(TreeSet<Long> parts, long offset, long from, long to) {
    if (offset > from && offset < to) {
      parts.add(offset);
    }
  }

  private boolean mayShow(int id, long offset, long begin) {
    return changes.stream().anyMatch(change -> change.id == id && change.covers(offset, striping) && !isFollowed(change, offset, begin));
  }

  private boolean mayBeHole(long offset, long begin) {
    for (Change change : changes) {
      boolean covers = change.covers(offset, striping);
      boolean zeroes = covers && change.id == 0 && (change.cutTo < 0 || change.end > begin);
      if (change.daemon >= 0 || zeroes || !powerFailures.isEmpty()) {
        return true;
      }
      for (int slot = 0; slot < striping.count(); slot++) {
        boolean isElsewhere = !covers || slot != striping.slotOf(offset);
        if (guaranteed(change, slot) > offset && (isElsewhere || isCutBeside(change, offset) || isUnderWayInParts(change, begin))) {
          return true;
        }
      }
    }
    return false;
  }

  /** What a write of several requests has written first may be cut, and what it writes then makes the file longer. */
  private boolean isCutBeside(Change write, long offset) {
    return changes.stream().anyMatch(cut -> cut.cutTo >= 0 && cut.covers(offset, striping) && cut.end > write.begin);
  }

  /** What a write of several requests has written last may be there first: short ones overtake those that the daemon fetches. */
  private static boolean isUnderWayInParts(Change write, long begin) {
    return write.end > begin && Arrays.stream(write.lengths).sum() > ONE_REQUEST_BYTES;
  }

  private boolean isFollowed(Change change, long offset, long begin) {
    int at = striping.daemonOf(striping.slotOf(offset));
    return changes.stream().anyMatch(later -> later.isDone && later.begin > change.end && later.end < begin && later.covers(offset, striping)
        && isSettled(later, at));
  }

  @Override
  public String toString() {
    return name;
  }

  private List<Change> changesOf(long offset) {
    return changes.stream().filter(change -> change.covers(offset, striping)).toList();
  }

  /** Where to read, so many bytes each, to see all that anybody may have written. */
  List<Long> places(int bytes) {
    List<Long> places = new ArrayList<>();
    TreeMap<Long, Long> ranges = new TreeMap<>();
    for (Change change : changes) {
      for (int i = 0; i < change.offsets.length; i++) {
        ranges.merge(change.offsets[i], change.offsets[i] + change.lengths[i], Math::max);
      }
    }
    long seen = 0;
    for (Map.Entry<Long, Long> range : ranges.entrySet()) {
      for (seen = Math.max(seen, range.getKey()); seen < range.getValue(); seen += bytes) {
        places.add(seen);
      }
    }
    return places;
  }

  // Lengths.

  /** Somebody was told, between {@code begin} and {@code end}, that the file has all of what it read. */
  void checkReach(String reader, long atLeast, long begin, long end) {
    long most = 0;
    for (Change change : changes) {
      most = change.begin < end ? Math.max(most, leftOf(change, begin)) : most;
    }
    if (most < atLeast) {
      violations.add(reader + " of " + name + ", begun at " + begin + ", got all to " + atLeast + ", but the file ends at " + most + "; " + changes);
    }
  }

  /** Somebody was told, between {@code begin} and {@code end}, how long the file is. */
  void checkLength(String reader, long length, long begin, long end) {
    long least = 0;
    long most = 0;
    for (Change change : changes) {
      if (change.isDone && change.end < begin) {
        for (int slot = 0; slot < striping.count(); slot++) {
          if (isSettled(change, striping.daemonOf(slot))) {
            least = Math.max(least, kept(change, slot, guaranteed(change, slot), end));
          }
        }
      }
      if (change.begin < end) {
        most = Math.max(most, leftOf(change, begin));
      }
    }
    if (length < least || length > most) {
      violations.add(reader + " of " + name + ", begun at " + begin + ", says a length of " + length + ", must be from " + least + " to " + most + "; "
          + striping + "; " + changes);
    }
  }

  /** Length of the file because of what this change has left with one daemon. */
  private long guaranteed(Change change, int slot) {
    long most = change.cutTo < 0 ? 0 : striping.fileBytes(slot, striping.localBytes(slot, change.cutTo));
    for (int i = 0; change.extendsFile && i < change.offsets.length; i++) {
      long end = striping.fileBytes(slot, striping.localBytes(slot, change.offsets[i] + change.lengths[i]));
      most = end > change.offsets[i] ? Math.max(most, end) : most;
    }
    return most;
  }

  /** What is left of that, whatever may have happened since. */
  private long kept(Change change, int slot, long length, long end) {
    long left = length;
    for (Change other : changes) {
      boolean mayFollow = other != change && other.begin < end && other.end > change.begin;
      if (mayFollow && other.cutTo >= 0) {
        left = Math.min(left, striping.fileBytes(slot, striping.localBytes(slot, other.cutTo)));
      } else if (mayFollow && other.daemon == striping.daemonOf(slot)) {
        left = 0;
      }
    }
    return left;
  }

  private long leftOf(Change change, long begin) {
    long left = change.reach();
    for (Change other : changes) {
      if (other.isDone && other.cutTo >= 0 && other.begin > change.end && other.end < begin && isSettledEverywhere(other)) {
        left = Math.min(left, other.cutTo);
      }
    }
    return left;
  }
}
