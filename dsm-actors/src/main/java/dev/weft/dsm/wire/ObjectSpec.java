package dev.weft.dsm.wire;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.SharingUnit;

/**
 * An object of a shared memory that all nodes know by its name.
 *
 * @param id its number, never used again
 * @param kind what it is
 * @param name what programs call it
 * @param length elements of an array; threads that meet at a barrier; 0 for the others
 * @param strideBytes bytes of a minipage of an array, a multiple of 8; of a condition, the id of its lock
 * @param offset where an array begins in the frames of each node, in bytes
 * @param firstMinipage number of the first minipage of an array
 * @param homes bit n for node n: among these the minipages' homes are spread, in blocks; one of them, by the id, is the home of the others
 * @param placement whether these stay homes, or the first of these is the home of all
 * @param consistency of an array
 */
public record ObjectSpec(int id, Kind kind, String name, long length, long strideBytes, long offset, int firstMinipage, long homes,
    HomePlacement placement, Consistency consistency) {
  private static final int PARTIES_MAX = 65_536;

  /** Kinds of objects; the order is that of the wire. */
  public enum Kind {
    LONGS(8),
    DOUBLES(8),
    INTS(4),
    BYTES(1),
    LOCK(0),
    BARRIER(0),
    CONDITION(0);

    private final int elementBytes;

    Kind(int elementBytes) {
      this.elementBytes = elementBytes;
    }

    /** Bytes of an element; 0 for what is no array. */
    public int elementBytes() {
      return elementBytes;
    }

    public boolean isArray() {
      return elementBytes > 0;
    }
  }

  /** One whose homes are spread. */
  public ObjectSpec(int id, Kind kind, String name, long length, long strideBytes, long offset, int firstMinipage, long homes) {
    this(id, kind, name, length, strideBytes, offset, firstMinipage, homes, HomePlacement.FIXED);
  }

  /** One that is sequentially consistent. */
  public ObjectSpec(int id, Kind kind, String name, long length, long strideBytes, long offset, int firstMinipage, long homes,
      HomePlacement placement) {
    this(id, kind, name, length, strideBytes, offset, firstMinipage, homes, placement, Consistency.SEQUENTIAL);
  }

  /** What a program asks for; numbers and places are given by the first node. */
  public static ObjectSpec wanted(Kind kind, String name, long length, SharingUnit unit) {
    return wanted(kind, name, length, unit, Consistency.SEQUENTIAL);
  }

  /** The same with this consistency. */
  public static ObjectSpec wanted(Kind kind, String name, long length, SharingUnit unit, Consistency consistency) {
    return new ObjectSpec(0, kind, name, length, unit == null ? 0 : unit.strideBytes(length, kind.elementBytes()), 0, 0, 0, HomePlacement.FIXED, consistency);
  }

  /** What is wrong with a barrier where so many threads meet, and what would be right; null if nothing. */
  public static String problemOfParties(String name, long parties) {
    return parties >= 1 && parties <= PARTIES_MAX ? null
        : "the barrier \"" + name + "\" of " + parties + " parties, must be from 1 to " + PARTIES_MAX + " threads that meet";
  }

  /** IllegalArgumentException if there is something. */
  public static void requireParties(String name, long parties) {
    String problem = problemOfParties(name, parties);
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
  }

  /** Whether it is an array that nodes may write at the same time. */
  public boolean isReleaseConsistent() {
    return consistency == Consistency.RELEASE;
  }

  /** Whether who writes a minipage of it becomes its home. */
  public boolean isDynamic() {
    return placement == HomePlacement.DYNAMIC;
  }

  /** Whether it is what {@code other} asks for. */
  public boolean hasShapeOf(ObjectSpec other) {
    return kind == other.kind && length == other.length && strideBytes == other.strideBytes && consistency == other.consistency;
  }

  /** Bytes of an array, a multiple of 8. */
  public long bytes() {
    return length * kind.elementBytes() + 7 & -8;
  }

  /** Minipages of an array. */
  public int minipages() {
    return kind.isArray() ? Math.toIntExact((bytes() + strideBytes - 1) / strideBytes) : 0;
  }

  /** Whether a minipage is one of its. */
  public boolean hasMinipage(int minipage) {
    return minipage >= firstMinipage && minipage - firstMinipage < minipages();
  }

  /** Bytes of the {@code index}th minipage; the last one may be shorter. */
  public long minipageBytes(int index) {
    return Math.min(strideBytes, bytes() - index * strideBytes);
  }

  /** The node that looks after the {@code index}th minipage, or after what is no array, as long as none is lost. */
  public int homeOf(int index) {
    int count = Long.bitCount(homes);
    int nth = placement == HomePlacement.CENTRALIZED ? 0 : kind.isArray() ? (int) ((long) index * count / minipages()) : id % count;
    long left = homes;
    for (int i = 0; i < nth; i++) {
      left &= left - 1;
    }
    return Long.numberOfTrailingZeros(left);
  }

  /**
   * The same when nodes are lost, as bits: the next one takes the place of a lost one. Where all are lost that were there when the object was made, it is
   * the first node that lives; all members know of all that have lower numbers.
   */
  public int homeOf(int index, long lost) {
    int home = homeOf(index);
    long left = homes & ~lost;
    if ((left & 1L << home) != 0 || left == 0) {
      return left == 0 ? Long.numberOfTrailingZeros(~lost) : home;
    }
    long next = left & -1L << home;
    return Long.numberOfTrailingZeros(next == 0 ? left : next);
  }

  /** Whether a lost node would be home if it lived, or had been one before. */
  public boolean wasHome(int node, int index, long lost) {
    return homeOf(index, lost & ~(1L << node)) == node;
  }

  /** Whether the home of a minipage may be another one now that a node is lost: those that had moved move back. */
  public boolean movesWith(int node, int index, long lost) {
    return isDynamic() || wasHome(node, index, lost);
  }

  /** As people read it. */
  public String shape() {
    return kind.isArray() ? kind.name().toLowerCase(java.util.Locale.ROOT) + " of length " + length + " in minipages of " + strideBytes + " bytes"
        + (isReleaseConsistent() ? " with release consistency" : "")
        : kind == Kind.BARRIER ? "a barrier of " + length + " parties" : kind == Kind.CONDITION ? "a condition of the lock with the number " + strideBytes
        : "a " + kind.name().toLowerCase(java.util.Locale.ROOT);
  }
}
