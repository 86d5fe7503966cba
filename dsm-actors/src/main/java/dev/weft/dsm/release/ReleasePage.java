package dev.weft.dsm.release;

import dev.weft.dsm.direct.Waiter;
import dev.weft.dsm.wire.ObjectSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** A minipage that this node has touched, or that another one has asked for here. */
final class ReleasePage {
  /** What this node has of it. */
  enum State {
    NONE,
    /** It has told all others that it wants updates, and waits for their answers. */
    ASKING,
    /** All send it updates; it waits for the content. */
    FETCHING,
    HERE
  }

  final int minipage;
  /** In the frames. */
  final long at;
  final int bytes;
  final int elementBytes;
  final int home;
  final List<Waiter> waiting = new ArrayList<>();
  State state;
  /** Bits of the other nodes that get updates. */
  long copies;
  /** Bits of those that have not answered yet, of those whose copy is complete, and whether one with a lower number is asking, too. */
  long asked;
  long complete;
  boolean lowerAsks;
  /** Since the last question a node was lost that was asked, or had it. */
  boolean hasLost;
  /** Number of the last question; answers to older ones are dropped. */
  int round;
  int source = -1;
  /** Bytes of the content that have come. */
  int fetched;
  /** Elements that came by updates while the content was fetched, which may be older. */
  BitSet newer;
  /** As all copies have it, as far as this node has told them; null where nobody here may write. */
  MemorySegment twin;
  /** The passes in a row that found nothing changed. */
  int idle;
  /** Threads may not write any more, and the twin goes when all differences are sent. */
  boolean isDropping;
  boolean isFreed;

  ReleasePage(ObjectSpec spec, int minipage, boolean isHere) {
    int index = minipage - spec.firstMinipage();
    this.minipage = minipage;
    at = spec.offset() + index * spec.strideBytes();
    bytes = Math.toIntExact(spec.minipageBytes(index));
    elementBytes = spec.kind().elementBytes();
    home = spec.homeOf(index);
    state = isHere ? State.HERE : State.NONE;
  }

  /** Puts an element of an update into its place. What a thread here has written and not told yet stays, and is told at the next release. */
  void apply(MemorySegment frames, int offset, long value) {
    if (twin == null) {
      Differences.set(frames, at + offset, elementBytes, value);
      if (newer != null) {
        newer.set(offset / elementBytes);
      }
      return;
    }
    if (Differences.get(frames, at + offset, elementBytes) == Differences.load(twin, offset, elementBytes)) {
      Differences.set(frames, at + offset, elementBytes, value);
    }
    Differences.store(twin, offset, elementBytes, value);
  }

  /** Puts an element of the content into its place, unless an update has come for it. */
  void fetched(MemorySegment frames, int offset, long value) {
    if (!newer.get(offset / elementBytes)) {
      Differences.set(frames, at + offset, elementBytes, value);
    }
  }

  /** An element as all copies have it. */
  long told(MemorySegment frames, int offset) {
    return twin == null ? Differences.get(frames, at + offset, elementBytes) : Differences.load(twin, offset, elementBytes);
  }
}
