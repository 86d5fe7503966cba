package dev.weft.tripwire.cam;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What the NIC writes into memory of the application when a Tripwire fires: a bit of a bitmap and a counter for each (seed 003
 * section 2.5). Read by any thread without a call to anybody; what a bit or counter tells of is visible to who has read it.
 */
public final class Notifications {
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] bitmap;
  private final long[] counters;

  public Notifications(int tripwires) {
    bitmap = new long[(tripwires + Long.SIZE - 1) / Long.SIZE];
    counters = new long[tripwires];
  }

  /** Hardware thread. */
  void setBit(int id) {
    WORDS.getAndBitwiseOr(bitmap, id >>> 6, 1L << id);
  }

  /** Hardware thread, the only one that counts. */
  void count(int id) {
    WORDS.setRelease(counters, id, counters[id] + 1);
  }

  void clear(int id) {
    takeBit(id);
    WORDS.setRelease(counters, id, 0L);
  }

  /** Whether the Tripwire has fired since its bit was taken. */
  public boolean bit(int id) {
    return ((long) WORDS.getAcquire(bitmap, id >>> 6) & 1L << id) != 0;
  }

  /** The same, and takes the bit. */
  public boolean takeBit(int id) {
    return bit(id) && ((long) WORDS.getAndBitwiseAnd(bitmap, id >>> 6, ~(1L << id)) & 1L << id) != 0;
  }

  /** Firings that were counted since the Tripwire was allocated. */
  public long counter(int id) {
    return (long) WORDS.getAcquire(counters, id);
  }
}
