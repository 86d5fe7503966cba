package dev.weft.dsm.access;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** Whether a thread is inside a call that uses shared memory in place; at most one such call at a time. Belongs to one thread. */
public final class InPlace {
  private static final ThreadLocal<InPlace> MINE = ThreadLocal.withInitial(InPlace::new);

  private boolean isInside;

  private InPlace() {}

  /** The instance of the calling thread. */
  public static InPlace mine() {
    return MINE.get();
  }

  /** Throws IllegalStateException inside such a call: other threads may wait for the held range, so the caller must not wait for them. */
  public void requireOutside() {
    if (isInside) {
      throw new IllegalStateException("this thread uses a range of shared memory in place; until that call returns it can hold no other range, and wait "
          + "for nothing: not for a lock, and not for other shared memory that is not here already");
    }
  }

  /** Calls {@code use} with memory that the caller keeps alive. The segment is valid only during the call. */
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
