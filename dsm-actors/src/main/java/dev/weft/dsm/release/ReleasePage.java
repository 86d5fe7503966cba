package dev.weft.dsm.release;

import dev.weft.dsm.access.RightsWaiter;
import dev.weft.dsm.wire.ObjectSpec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** A minipage that this node has touched, or that another node has asked this node for. */
final class ReleasePage {
  /** This node's copy of the minipage. */
  enum State {
    NONE,
    /** This node has asked all others for updates, and waits for their answers. */
    ASKING,
    /** All others send updates; this node waits for the content. */
    FETCHING,
    HERE
  }

  final int minipage;
  /** Offset in the frames. */
  final long at;
  final int bytes;
  final int elementBytes;
  final int home;
  final List<RightsWaiter> waiting = new ArrayList<>();
  State state;
  /** Bits of the other nodes that get updates of this node. */
  long copies;
  /** Bits of the nodes that have not answered yet; bits of those whose copy is complete; whether a node with a lower number is asking, too. */
  long asked;
  long complete;
  boolean lowerAsks;
  /** A node that was asked, or that had the content, was lost since the last question. */
  boolean hasLost;
  /** Number of the last question; answers to earlier ones are dropped. */
  int round;
  int source = -1;
  /** Bytes of the content that have arrived. */
  int fetched;
  /** Elements that updates have changed during the fetch; the content may have older values of them. */
  BitSet newer;
  /** The minipage as all copies have it, as far as this node has sent its changes; null while no thread here may write. */
  MemorySegment twin;
  /** Number of passes in a row that found no change. */
  int idle;
  /** Threads may no longer write; the twin is dropped when all differences are sent. */
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

  /** Applies an element of an update. A value that a thread here has written and not released stays, and goes out at the next release. */
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

  /** Stores an element of the content, unless an update has changed it meanwhile. */
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
