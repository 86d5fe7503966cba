package dev.weft.tripwire.cam;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What the NIC writes into memory of the application when a Tripwire fires: a bit in a bitmap, and a counter (CLAN, section 2.5). Any thread reads it
 * without a call. After a thread has read a bit or counter, the data of the access is visible to it.
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

  /** Hardware thread, the only thread that counts. */
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

  /** Returns the same, and clears the bit. */
  public boolean takeBit(int id) {
    return bit(id) && ((long) WORDS.getAndBitwiseAnd(bitmap, id >>> 6, ~(1L << id)) & 1L << id) != 0;
  }

  /** Number of counted firings since the Tripwire was allocated. */
  public long counter(int id) {
    return (long) WORDS.getAcquire(counters, id);
  }
}
