package dev.weft.fabric.dispatch;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** A bell in memory of this process, and a view of the word that its owner sleeps on. */
final class BellMemory {
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment memory = Arena.ofAuto().allocate(Bell.FILE_BYTES, 64);
  final Bell bell = new Bell(memory);

  boolean isAsleep() {
    return (int) WORD.getVolatile(memory, Bell.ASLEEP) == 1;
  }
}
