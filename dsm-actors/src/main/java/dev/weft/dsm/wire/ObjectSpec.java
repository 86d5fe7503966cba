package dev.weft.dsm.wire;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.SharingUnit;

/**
 * An object of a shared memory that all nodes know by its name.
 *
 * @param id its number, never used again
 * @param kind kind of the object
 * @param name its name in programs
 * @param length elements of an array; threads that meet at a barrier; 0 for other kinds
 * @param strideBytes bytes of a minipage of an array, a multiple of 8; for a condition, the id of its lock
 * @param offset where an array starts in each node's frames, in bytes
 * @param firstMinipage number of the first minipage of an array
 * @param homes bit n for node n; an array's minipages are spread over these nodes in blocks, the id selects the home of another object
 * @param placement whether these nodes stay homes, or the first of them is the home of all
 * @param consistency consistency of an array
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

    /** Bytes of an element; 0 if the kind is not an array. */
    public int elementBytes() {
      return elementBytes;
    }

    public boolean isArray() {
      return elementBytes > 0;
    }
  }

  /** An object with {@link HomePlacement#FIXED}. */
  public ObjectSpec(int id, Kind kind, String name, long length, long strideBytes, long offset, int firstMinipage, long homes) {
    this(id, kind, name, length, strideBytes, offset, firstMinipage, homes, HomePlacement.FIXED);
  }

  /** An object that is sequentially consistent. */
  public ObjectSpec(int id, Kind kind, String name, long length, long strideBytes, long offset, int firstMinipage, long homes,
      HomePlacement placement) {
    this(id, kind, name, length, strideBytes, offset, firstMinipage, homes, placement, Consistency.SEQUENTIAL);
  }

  /** A program's request for an object; the first node assigns numbers and places. */
  public static ObjectSpec wanted(Kind kind, String name, long length, SharingUnit unit) {
    return wanted(kind, name, length, unit, Consistency.SEQUENTIAL);
  }

  /** The same with this consistency. */
  public static ObjectSpec wanted(Kind kind, String name, long length, SharingUnit unit, Consistency consistency) {
    return new ObjectSpec(0, kind, name, length, unit == null ? 0 : unit.strideBytes(length, kind.elementBytes()), 0, 0, 0, HomePlacement.FIXED, consistency);
  }

  /** Describes what is wrong with the number of parties and what is valid; null if it is valid. */
  public static String problemOfParties(String name, long parties) {
    return parties >= 1 && parties <= PARTIES_MAX ? null
        : "the barrier \"" + name + "\" of " + parties + " parties, must be from 1 to " + PARTIES_MAX + " threads that meet";
  }

  /** Throws IllegalArgumentException if the number of parties is not valid. */
  public static void requireParties(String name, long parties) {
    String problem = problemOfParties(name, parties);
    if (problem != null) {
      throw new IllegalArgumentException(problem);
    }
  }

  /** Whether several nodes may write the array at the same time. */
  public boolean isReleaseConsistent() {
    return consistency == Consistency.RELEASE;
  }

  /** Whether a node that writes a minipage becomes its home. */
  public boolean isDynamic() {
    return placement == HomePlacement.DYNAMIC;
  }

  /** Whether this object has the shape that {@code other} asks for. */
  public boolean hasShapeOf(ObjectSpec other) {
    return kind == other.kind && length == other.length && strideBytes == other.strideBytes && consistency == other.consistency;
  }

  /** Size of an array in bytes, a multiple of 8. */
  public long bytes() {
    return length * kind.elementBytes() + 7 & -8;
  }

  /** Number of minipages of an array. */
  public int minipages() {
    return kind.isArray() ? Math.toIntExact((bytes() + strideBytes - 1) / strideBytes) : 0;
  }

  /** Whether the minipage belongs to this array. */
  public boolean hasMinipage(int minipage) {
    return minipage >= firstMinipage && minipage - firstMinipage < minipages();
  }

  /** Bytes of the {@code index}th minipage; the last one may be shorter. */
  public long minipageBytes(int index) {
    return Math.min(strideBytes, bytes() - index * strideBytes);
  }

  /** The home of the {@code index}th minipage, or of an object that is not an array, while no node is lost. */
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
   * The home when nodes are lost (bits): the next node takes the place of a lost one. If all nodes are lost that were present when the object was
   * made, the home is the first live node, since every member knows all members with lower numbers.
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

  /** Whether a lost node would be the home if it lived, or was the home before. */
  public boolean wasHome(int node, int index, long lost) {
    return homeOf(index, lost & ~(1L << node)) == node;
  }

  /** Whether the loss of a node may change the home of a minipage. Homes that had moved return to their anchors. */
  public boolean movesWith(int node, int index, long lost) {
    return isDynamic() || wasHome(node, index, lost);
  }

  /** The shape as text for users. */
  public String shape() {
    return kind.isArray() ? kind.name().toLowerCase(java.util.Locale.ROOT) + " of length " + length + " in minipages of " + strideBytes + " bytes"
        + (isReleaseConsistent() ? " with release consistency" : "")
        : kind == Kind.BARRIER ? "a barrier of " + length + " parties" : kind == Kind.CONDITION ? "a condition of the lock with the number " + strideBytes
        : "a " + kind.name().toLowerCase(java.util.Locale.ROOT);
  }
}
