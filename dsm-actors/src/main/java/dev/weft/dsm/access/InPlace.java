package dev.weft.dsm.access;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Whether a thread is in a call in which it uses shared memory where it is; one such call at a time. Of its thread. */
public final class InPlace {
  private static final ThreadLocal<InPlace> MINE = ThreadLocal.withInitial(InPlace::new);

  private boolean isInside;

  private InPlace() {}

  /** Of the calling thread. */
  public static InPlace mine() {
    return MINE.get();
  }

  /** IllegalStateException in such a call: others may wait for what it holds, so it must not wait for others. */
  public void requireOutside() {
    if (isInside) {
      throw new IllegalStateException("this thread uses a range of shared memory in place; until that call returns it can hold no other range, and wait "
          + "for nothing: not for a lock, and not for other shared memory that is not here already");
    }
  }

  /** Calls {@code use} with memory that the caller keeps; the segment ends with the call. */
  public void call(MemorySegment memory, boolean isReadOnly, Consumer<? super MemorySegment> use) {
    isInside = true;
    try (Arena call = Arena.ofConfined()) {
      MemorySegment lent = memory.reinterpret(call, null);
      use.accept(isReadOnly ? lent.asReadOnly() : lent);
    } finally {
      isInside = false;
    }
  }
}
