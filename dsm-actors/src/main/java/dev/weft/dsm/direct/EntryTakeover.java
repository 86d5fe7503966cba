package dev.weft.dsm.direct;

import dev.weft.dsm.access.Rights;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Entries that this node takes over from a home that was lost or leaves. They are closed until all nodes have reported their rights, then rebuilt
 * from the reports. An entry may give more rights than nodes have, never fewer.
 *
 * <p>Bound: one record for each minipage that moves.
 */
public final class EntryTakeover {
  /** The entries of this node. */
  public interface Entries {
    /** Writes a closed entry and unlocks it. */
    void open(int minipage, long owner, long copies);
  }

  private static final int NOBODY = -1;

  private static final class Known {
    long copies;
    int writer = NOBODY;
    /** The node that had locked the entry when its home was lost; the entry's content then; the nodes that may have been lost since. */
    int taker = NOBODY;

    long owner;
    long before;
    long lost;
  }

  private final Entries entries;
  private final Int2ObjectHashMap<Known> gathering = new Int2ObjectHashMap<>();

  public EntryTakeover(Entries entries) {
    this.entries = entries;
  }

  /** This node becomes the home of a minipage, whose entry is closed. */
  public void begin(int minipage) {
    gathering.computeIfAbsent(minipage, unknown -> new Known());
  }

  /** Whether an entry is not rebuilt yet. */
  public boolean isGathering(int minipage) {
    return gathering.containsKey(minipage);
  }

  /** The array was freed. */
  public void remove(int minipage) {
    gathering.remove(minipage);
  }

  /** A node reports its rights. */
  public void onHolds(int first, int count, byte rights, int from) {
    for (int minipage = first; minipage < first + count; minipage++) {
      Known known = gathering.get(minipage);
      if (known != null) {
        known.copies |= 1L << from;
        known.writer = rights == Rights.WRITE ? from : known.writer;
      }
    }
  }

  /**
   * A node had locked the entry at the lost home and has given up. It may have taken rights of others, but the frames of nodes with copies are valid.
   *
   * @param lost bits of that home and of the nodes that were lost when the entry was locked
   */
  public void onWasTaking(int minipage, long owner, long copies, long lost, int from) {
    Known known = gathering.get(minipage);
    if (known != null) {
      known.taker = from;
      known.owner = owner;
      known.before = copies;
      known.lost = lost;
    }
  }

  /** All nodes have reported their rights; {@code lost} are bits of the nodes that are no longer present. */
  public void onGathered(long lost) {
    for (Int2ObjectHashMap<Known>.EntryIterator each = gathering.entrySet().iterator(); each.hasNext();) {
      each.next();
      open(each.getIntKey(), each.getValue(), lost);
    }
    gathering.clear();
  }

  private void open(int minipage, Known known, long lost) {
    long copies = known.copies & ~lost;
    if (known.writer != NOBODY && (copies & 1L << known.writer) != 0) {
      entries.open(minipage, DirectoryEntry.owner(known.writer, true), 1L << known.writer);
      return;
    }
    // If a second node was lost since, it may have written, and these frames may be old.
    boolean isGood = known.taker != NOBODY && (lost & 1L << known.taker) == 0 && (lost & ~known.lost) == 0;
    if (isGood && !DirectoryEntry.mayWrite(known.owner)) {
      copies |= known.before & ~lost;
    } else if (isGood && copies == 0) {
      copies = 1L << DirectoryEntry.node(known.owner) & ~lost;
    }
    if (copies == 0) {
      entries.open(minipage, DirectoryEntry.LOST, 0);
    } else {
      // A single holder may have threads inside that could write when they entered, so it is recorded as a writer; the next fault looks for them.
      boolean isAlone = Long.bitCount(copies) == 1;
      entries.open(minipage, DirectoryEntry.owner(Long.numberOfTrailingZeros(copies), isAlone), copies);
    }
  }

  /** Appends the reports for a minipage, for checkers. */
  public void append(int minipage, StringBuilder to) {
    Known known = gathering.get(minipage);
    if (known != null) {
      to.append('G').append(known.copies).append(',').append(known.writer).append(',').append(known.taker).append(',').append(known.owner).append(',')
          .append(known.before).append(',').append(known.lost);
    }
  }
}
