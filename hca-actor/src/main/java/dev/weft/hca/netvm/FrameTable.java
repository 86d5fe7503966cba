package dev.weft.hca.netvm;

import java.util.Arrays;
import java.util.BitSet;

/** The frames of a host's memory: which page owns each, which are free, and the hand of the clock algorithm. The caller must hold the memory's lock. */
final class FrameTable {
  static final long NO_PAGE = -1;

  private final long[] owner;
  private final BitSet free = new BitSet();
  private int freeCount;
  /** No frame below this one is free. */
  private int lowestFree;
  private int hand;

  /** Creates a table of free frames. */
  FrameTable(int frames) {
    owner = new long[frames];
    Arrays.fill(owner, NO_PAGE);
    free.set(0, frames);
    freeCount = frames;
  }

  int freeCount() {
    return freeCount;
  }

  /** Takes a free frame: {@code wished} if it is free. At least one frame must be free. */
  int take(int wished) {
    int frame = wished;
    if (!free.get(frame)) {
      frame = free.nextSetBit(lowestFree);
      lowestFree = frame + 1;
    }
    free.clear(frame);
    freeCount--;
    return frame;
  }

  void release(int frame) {
    owner[frame] = NO_PAGE;
    free.set(frame);
    freeCount++;
    lowestFree = Math.min(lowestFree, frame);
  }

  void own(int frame, long page) {
    owner[frame] = page;
  }

  /** Removes the owner of a frame without freeing it. */
  void disown(int frame) {
    owner[frame] = NO_PAGE;
  }

  /** The page that owns a frame, or {@link #NO_PAGE}. */
  long owner(int frame) {
    return owner[frame];
  }

  /** Returns the frame at the hand of the clock, and advances the hand. */
  int nextOfClock() {
    int frame = hand;
    hand = hand + 1 == owner.length ? 0 : hand + 1;
    return frame;
  }
}
