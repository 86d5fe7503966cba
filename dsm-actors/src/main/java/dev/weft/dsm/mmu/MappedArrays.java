package dev.weft.dsm.mmu;

import dev.weft.dsm.SharedArray;
import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.access.InPlace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Shared arrays over an application's views. Single elements are volatile loads and stores without a check; the fence of a volatile store keeps a
 * thread's later reads behind its earlier writes. Several elements are plain loads, or plain stores and a fence: other nodes may access them between
 * two minipages.
 */
final class MappedArrays {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final VarHandle DOUBLE = ValueLayout.JAVA_DOUBLE.varHandle();
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

  private MappedArrays() {}

  private interface Copy {
    void copy(long offset, int at, int count);
  }

  /** Calls {@code copy} for each part that is contiguous in the view. */
  private static void inParts(MappedView view, long index, int at, int count, int arrayLength, Copy copy) {
    Objects.checkFromIndexSize(index, count, view.length());
    Objects.checkFromIndexSize(at, count, arrayLength);
    for (int done = 0; done < count;) {
      int run = view.run(index + done, count - done);
      copy.copy(view.offsetOf(index + done), at + done, run);
      done += run;
    }
  }

  private static void fetch(MmuClient client, MappedView view, long index, long count, boolean forAll) {
    Objects.checkFromIndexSize(index, count, view.length());
    client.fetch(view.name(), index, count, forAll);
  }

  /**
   * Uses contiguous elements in place. If minipages do not fill their pages, elements are not contiguous: those are copied, and copied back if they
   * are writable.
   */
  private static void inPlace(MappedView view, long index, long count, boolean isReadOnly, Consumer<? super MemorySegment> use) {
    Objects.requireNonNull(use, "use");
    Objects.checkFromIndexSize(index, count, view.length());
    if (count == 0) {
      return;
    }
    InPlace mine = InPlace.mine();
    mine.requireOutside();
    long bytes = count * view.kind().elementBytes();
    long from = view.offsetOf(index);
    try {
      if (view.offsetOf(index + count - 1) - from == bytes - view.kind().elementBytes()) {
        mine.call(view.memory().asSlice(from, bytes), isReadOnly, use);
      } else {
        copied(view, index, count, isReadOnly, copy -> mine.call(copy, isReadOnly, use));
      }
    } finally {
      Reference.reachabilityFence(view.memory());
      VarHandle.fullFence(); // Also for stores before an exception.
    }
  }

  private static void copied(MappedView view, long index, long count, boolean isReadOnly, Consumer<MemorySegment> use) {
    int elementBytes = view.kind().elementBytes();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(count * elementBytes, Long.BYTES);
      forRuns(view, index, count, (inView, at, bytes) -> MemorySegment.copy(view.memory(), inView, copy, at, bytes));
      try {
        use.accept(copy);
      } finally {
        if (!isReadOnly) {
          forRuns(view, index, count, (inView, at, bytes) -> MemorySegment.copy(copy, at, view.memory(), inView, bytes));
        }
      }
    }
  }

  private interface Run {
    void copy(long inView, long at, long bytes);
  }

  private static void forRuns(MappedView view, long index, long count, Run copy) {
    int elementBytes = view.kind().elementBytes();
    for (long done = 0; done < count;) {
      int run = view.run(index + done, (int) Math.min(count - done, Integer.MAX_VALUE));
      copy.copy(view.offsetOf(index + done), done * elementBytes, (long) run * elementBytes);
      done += run;
    }
  }

  /** The common operations of arrays of all types. */
  interface Mapped extends SharedArray {
    MmuClient client();

    MappedView view();

    @Override
    default long length() {
      return view().length();
    }

    @Override
    default void readInPlace(long index, long count, Consumer<? super MemorySegment> use) {
      inPlace(view(), index, count, true, use);
    }

    @Override
    default void writeInPlace(long index, long count, Consumer<? super MemorySegment> use) {
      inPlace(view(), index, count, false, use);
    }

    @Override
    default void prefetch(long index, long count) {
      fetch(client(), view(), index, count, false);
    }

    @Override
    default void push(long index, long count) {
      fetch(client(), view(), index, count, true);
    }
  }

  record Longs(MmuClient client, MappedView view) implements Mapped, SharedLongs {
    @Override
    public long get(long index) {
      return (long) LONG.getVolatile(view.memory(), view.offsetOf(index));
    }

    @Override
    public void set(long index, long value) {
      LONG.setVolatile(view.memory(), view.offsetOf(index), value);
    }

    @Override
    public long getAndAdd(long index, long delta) {
      return (long) LONG.getAndAdd(view.memory(), view.offsetOf(index), delta);
    }

    @Override
    public boolean compareAndSet(long index, long expected, long value) {
      return LONG.compareAndSet(view.memory(), view.offsetOf(index), expected, value);
    }

    @Override
    public void read(long index, long[] to, int at, int count) {
      inParts(view, index, at, count, to.length, (offset, place, run) -> MemorySegment.copy(view.memory(), ValueLayout.JAVA_LONG, offset, to, place, run));
    }

    @Override
    public void write(long index, long[] from, int at, int count) {
      inParts(view, index, at, count, from.length, (offset, place, run) -> MemorySegment.copy(from, place, view.memory(), ValueLayout.JAVA_LONG, offset, run));
      VarHandle.fullFence();
    }
  }

  record Doubles(MmuClient client, MappedView view) implements Mapped, SharedDoubles {
    @Override
    public double get(long index) {
      return (double) DOUBLE.getVolatile(view.memory(), view.offsetOf(index));
    }

    @Override
    public void set(long index, double value) {
      DOUBLE.setVolatile(view.memory(), view.offsetOf(index), value);
    }

    @Override
    public double getAndAdd(long index, double delta) {
      long offset = view.offsetOf(index);
      while (true) {
        double seen = (double) DOUBLE.getVolatile(view.memory(), offset);
        if (DOUBLE.compareAndSet(view.memory(), offset, seen, seen + delta)) {
          return seen;
        }
      }
    }

    @Override
    public void read(long index, double[] to, int at, int count) {
      inParts(view, index, at, count, to.length, (offset, place, run) -> MemorySegment.copy(view.memory(), ValueLayout.JAVA_DOUBLE, offset, to, place, run));
    }

    @Override
    public void write(long index, double[] from, int at, int count) {
      inParts(view, index, at, count, from.length, (offset, place, run) ->
          MemorySegment.copy(from, place, view.memory(), ValueLayout.JAVA_DOUBLE, offset, run));
      VarHandle.fullFence();
    }
  }

  record Ints(MmuClient client, MappedView view) implements Mapped, SharedInts {
    @Override
    public int get(long index) {
      return (int) INT.getVolatile(view.memory(), view.offsetOf(index));
    }

    @Override
    public void set(long index, int value) {
      INT.setVolatile(view.memory(), view.offsetOf(index), value);
    }

    @Override
    public int getAndAdd(long index, int delta) {
      return (int) INT.getAndAdd(view.memory(), view.offsetOf(index), delta);
    }

    @Override
    public boolean compareAndSet(long index, int expected, int value) {
      return INT.compareAndSet(view.memory(), view.offsetOf(index), expected, value);
    }

    @Override
    public void read(long index, int[] to, int at, int count) {
      inParts(view, index, at, count, to.length, (offset, place, run) -> MemorySegment.copy(view.memory(), ValueLayout.JAVA_INT, offset, to, place, run));
    }

    @Override
    public void write(long index, int[] from, int at, int count) {
      inParts(view, index, at, count, from.length, (offset, place, run) -> MemorySegment.copy(from, place, view.memory(), ValueLayout.JAVA_INT, offset, run));
      VarHandle.fullFence();
    }
  }

  record Bytes(MmuClient client, MappedView view) implements Mapped, SharedBytes {
    @Override
    public byte get(long index) {
      return (byte) BYTE.getVolatile(view.memory(), view.offsetOf(index));
    }

    @Override
    public void set(long index, byte value) {
      BYTE.setVolatile(view.memory(), view.offsetOf(index), value);
    }

    @Override
    public void read(long index, byte[] to, int at, int count) {
      inParts(view, index, at, count, to.length, (offset, place, run) -> MemorySegment.copy(view.memory(), ValueLayout.JAVA_BYTE, offset, to, place, run));
    }

    @Override
    public void write(long index, byte[] from, int at, int count) {
      inParts(view, index, at, count, from.length, (offset, place, run) -> MemorySegment.copy(from, place, view.memory(), ValueLayout.JAVA_BYTE, offset, run));
      VarHandle.fullFence();
    }
  }
}
