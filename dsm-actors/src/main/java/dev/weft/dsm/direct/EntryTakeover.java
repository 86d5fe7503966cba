package dev.weft.dsm.direct;

import dev.weft.dsm.access.Rights;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Entries whose home was lost, or retires, and that this node is the home of now. They are closed until all nodes have said what they have; then each is
 * rebuilt from that. An entry may say more than nodes have, never less.
 *
 * <p>Bound: one record for each minipage that moves.
 */
public final class EntryTakeover {
  /** The entries of this node. */
  public interface Entries {
    /** Writes an entry that is closed, and frees it. */
    void open(int minipage, long owner, long copies);
  }

  private static final int NOBODY = -1;

  private static final class Known {
    long copies;
    int writer = NOBODY;
    /** Who had locked the entry when its home was lost, what it said then, and which nodes might be lost since. */
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

  /** This node is the home of a minipage now, and its entry is closed. */
  public void begin(int minipage) {
    gathering.computeIfAbsent(minipage, unknown -> new Known());
  }

  /** Whether an entry is not rebuilt yet. */
  public boolean isGathering(int minipage) {
    return gathering.containsKey(minipage);
  }

  /** The array is gone. */
  public void remove(int minipage) {
    gathering.remove(minipage);
  }

  /** A node says what it has. */
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
   * A node had locked the entry in the lost home, may have taken rights of others, and has given up: frames of those that had copies are good.
   *
   * @param lost bits of that home and of the nodes that were lost when it was locked
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

  /** All nodes have said what they have; {@code lost} are bits of those that are not there any more. */
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
    // Another node that is lost since may have written, and then these frames are old.
    boolean isGood = known.taker != NOBODY && (lost & 1L << known.taker) == 0 && (lost & ~known.lost) == 0;
    if (isGood && !DirectoryEntry.mayWrite(known.owner)) {
      copies |= known.before & ~lost;
    } else if (isGood && copies == 0) {
      copies = 1L << DirectoryEntry.node(known.owner) & ~lost;
    }
    if (copies == 0) {
      entries.open(minipage, DirectoryEntry.LOST, 0);
    } else {
      // One that is alone may have threads inside that could write when they came: who takes it looks for them.
      boolean isAlone = Long.bitCount(copies) == 1;
      entries.open(minipage, DirectoryEntry.owner(Long.numberOfTrailingZeros(copies), isAlone), copies);
    }
  }

  /** Appends what is known, for checkers. */
  public void append(int minipage, StringBuilder to) {
    Known known = gathering.get(minipage);
    if (known != null) {
      to.append('G').append(known.copies).append(',').append(known.writer).append(',').append(known.taker).append(',').append(known.owner).append(',')
          .append(known.before).append(',').append(known.lost);
    }
  }
}
