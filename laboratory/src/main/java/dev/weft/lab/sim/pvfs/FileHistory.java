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
 * The changes of one file, and what a read may therefore return. Bytes are grouped in cells of {@value #CELL}: each has the number of its write, and
 * its place, or is zero.
 *
 * <ul>
 *   <li>A read sees in each cell a change that began before the read ended, and that was not followed by a change answered before the read began.
 *       Of concurrent writes it may see either, in each cell another.
 *   <li>Cutting a file, making holes and the loss of a daemon's memory write zeros. Changes answered before a daemon in memory died are lost; changes
 *       made after another one took its place are not.
 *   <li>A write that failed with EIO, or whose client died, may happen at any later time; one that failed for lack of room, until it was answered.
 *   <li>A write that was seen and then replaced is not seen again, because each write happens once. But if a daemon had some of its data when the
 *       connection was lost, it is written again completely, and may be seen until it returns.
 *   <li>Zeros that no change wrote are a hole: another change, or the same write at another daemon, must have made the file longer.
 *   <li>A power failure of a daemon with a disk may undo unsynced changes, in each cell separately: those that had begun when it came, and were not
 *       followed by an answered sync. Until it is overwritten, a cell shows one of these, or the last synced change.
 *   <li>If an answered change may be undone in this way, the next sync of its author reports it ({@link ToldLosses}).
 *   <li>The length is at least that of each write answered before, unless the file was cut since, and at most that of any change that has begun.
 * </ul>
 */
final class FileHistory {
  /** Size up to which a write is certainly one request: the smallest that {@link PvfsScenario} draws. */
  private static final int ONE_REQUEST_BYTES = 4096;
  static final int CELL = 4;
  /** Limit of the writes in one run; their numbers fit into half of a cell. */
  static final int IDS_MAX = 1 << 15;
  static final long OPEN = Long.MAX_VALUE;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  /** A change of the file's bytes. */
  static final class Change {
    private final String what;
    private final int id;
    final long[] offsets;
    final long[] lengths;
    /** Position from which on everything becomes zero, and where the file ends; -1 for none. */
    final long cutTo;
    /** Daemon whose stripes are lost; -1 for none. */
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

    /** The length of the file that this change causes. */
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

  /** A sync: earlier changes of a daemon's stripes, of all daemons for -1, are on the disk after it. */
  private record Sync(int daemon, long begin, long end) {}

  private record PowerFailure(int daemon, long at) {}

  /** The part of one write, or of zeros, in one read. */
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
  /** Violations, unless a daemon had some data of a write whose connection was lost. */
  private final List<String> suspicions = new ArrayList<>();
  private final List<Sync> syncs = new ArrayList<>();
  private final List<PowerFailure> powerFailures = new ArrayList<>();
  private final ToldLosses told;
  /** A daemon has died, and with it its knowledge about repeated requests. */
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

  /** The losses that syncs must report. */
  ToldLosses told() {
    return told;
  }

  // Changes.

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

  /** A daemon with a disk was replaced: no data is lost, but it repeats repeated requests. */
  void replaced() {
    hadLoss = true;
  }

  /** A daemon's machine fails, and loses unsynced data of its disk. */
  void losePower(int daemon, long at) {
    hadLoss = true;
    powerFailures.add(new PowerFailure(daemon, at));
    told.losePower(daemon, at);
  }

  /** A sync was answered, of one daemon or, for -1, of all. */
  void synced(int daemon, long begin, long end) {
    syncs.add(new Sync(daemon, begin, end));
  }

  /** Whether no power failure of a daemon can have undone the change there. */
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

  /** Ends a change: it cannot happen later, and has happened if {@code isDone}. */
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

  /** Fills the cells of a write. */
  static void fill(MemorySegment memory, int id, long offset) {
    for (long at = 0; at < memory.byteSize(); at += CELL) {
      memory.set(INT, at, id << 16 | place(offset + at));
    }
  }

  private static int place(long offset) {
    return (int) (offset / CELL) & 0xffff;
  }

  // Reads.

  /**
   * Checks a read from {@code offset} on, from moment {@code begin} to {@code end}.
   *
   * @param bytes bytes of the range that the file has, according to the answer
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

  /** Returns -1 for content that no write leaves there. */
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

  /**
   * A write that was seen, and then replaced by another one, must not be seen again, because it happens once. Data that a daemon has lost may be
   * written again.
   */
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

  /** Offsets at which a part with another history starts. */
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

  /** The first requests of a long write may be cut off before its later requests make the file longer. */
  private boolean isCutBeside(Change write, long offset) {
    return changes.stream().anyMatch(cut -> cut.cutTo >= 0 && cut.covers(offset, striping) && cut.end > write.begin);
  }

  /** The last requests of a long write may be visible first: short ones overtake those whose data the daemon fetches. */
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

  /** Offsets of reads of this size that cover all bytes that any client may have written. */
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

  /** Checks an answer, received between {@code begin} and {@code end}, that the file contains the whole range of a read. */
  void checkReach(String reader, long atLeast, long begin, long end) {
    long most = 0;
    for (Change change : changes) {
      most = change.begin < end ? Math.max(most, leftOf(change, begin)) : most;
    }
    if (most < atLeast) {
      violations.add(reader + " of " + name + ", begun at " + begin + ", got all to " + atLeast + ", but the file ends at " + most + "; " + changes);
    }
  }

  /** Checks an answer, received between {@code begin} and {@code end}, about the length of the file. */
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

  /** Length of the file that this change guarantees at one daemon. */
  private long guaranteed(Change change, int slot) {
    long most = change.cutTo < 0 ? 0 : striping.fileBytes(slot, striping.localBytes(slot, change.cutTo));
    for (int i = 0; change.extendsFile && i < change.offsets.length; i++) {
      long end = striping.fileBytes(slot, striping.localBytes(slot, change.offsets[i] + change.lengths[i]));
      most = end > change.offsets[i] ? Math.max(most, end) : most;
    }
    return most;
  }

  /** The part of that length that remains, whatever may have happened since. */
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
