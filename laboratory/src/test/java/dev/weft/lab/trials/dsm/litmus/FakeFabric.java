package dev.weft.lab.trials.dsm.litmus;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Shared memory in one JVM, as it should be or wrong on purpose. Each space is for one thread. */
final class FakeFabric {
  enum Kind {
    /** Every access goes to the one memory. */
    SEQUENTIAL,
    /** A write waits in a buffer of one until the next one, or for some accesses. */
    STORE_BUFFER,
    /** A write waits for some accesses, and the next one to another word overtakes it. */
    OVERTAKING_WRITES,
    /** A word that was read is read from a copy some more times, whoever writes it. */
    STALE_COPIES,
    /** Each word alone is wrong: a write waits and is overtaken, its thread does not see it; reads see the first copy again by turns. */
    INCOHERENT,
    /** A compare-and-set or an addition is a read and a write. */
    TORN_ATOMICS
  }

  /** Accesses for which a write waits or a copy is used. */
  private static final int LATE = 6;

  final Map<String, AtomicLongArray> arrays = new ConcurrentHashMap<>();
  private final Map<String, AtomicLong> barriers = new ConcurrentHashMap<>();
  private final Kind kind;
  private final Runnable step;

  FakeFabric(Kind kind, Runnable step) {
    this.kind = kind;
    this.step = step;
  }

  List<SharedSpace> spaces(int count) {
    return IntStream.range(0, count).<SharedSpace>mapToObj(Space::new).toList();
  }

  private record Cell(AtomicLongArray array, int index) {}

  private final class Space implements SharedSpace {
    private final int node;
    private final Map<Cell, long[]> copies = new HashMap<>();
    private Cell buffered;
    private long bufferedValue;
    private int bufferedFor;

    Space(int node) {
      this.node = node;
    }

    private void drain() {
      if (buffered != null) {
        buffered.array.set(buffered.index, bufferedValue);
        buffered = null;
      }
    }

    private void step() {
      if (buffered != null && --bufferedFor == 0) {
        drain();
      }
      step.run();
    }

    long get(Cell cell) {
      step();
      if (kind == Kind.INCOHERENT) {
        long[] first = copies.computeIfAbsent(cell, _ -> new long[] {cell.array.get(cell.index), 0});
        return first[1]++ % 2 == 1 ? cell.array.get(cell.index) : first[0];
      }
      if (buffered != null && cell.equals(buffered)) {
        return bufferedValue;
      }
      if (kind != Kind.STALE_COPIES) {
        return cell.array.get(cell.index);
      }
      long[] copy = copies.computeIfAbsent(cell, _ -> new long[2]);
      if (copy[1] == 0) {
        copy[0] = cell.array.get(cell.index);
        copy[1] = LATE;
      }
      copy[1]--;
      return copy[0];
    }

    void set(Cell cell, long value) {
      step();
      copies.remove(cell);
      boolean waits = switch (kind) {
        case STORE_BUFFER -> true;
        case OVERTAKING_WRITES -> buffered == null || buffered.equals(cell);
        case INCOHERENT -> buffered == null;
        case SEQUENTIAL, STALE_COPIES, TORN_ATOMICS -> false;
      };
      if (waits) {
        drain();
        buffered = cell;
        bufferedValue = value;
        bufferedFor = LATE;
      } else {
        cell.array.set(cell.index, value);
      }
    }

    long getAndAdd(Cell cell, long delta) {
      step();
      drain();
      copies.remove(cell);
      if (kind == Kind.TORN_ATOMICS) {
        long before = cell.array.get(cell.index);
        step();
        cell.array.set(cell.index, before + delta);
        return before;
      }
      return cell.array.getAndAdd(cell.index, delta);
    }

    boolean compareAndSet(Cell cell, long expected, long value) {
      step();
      drain();
      copies.remove(cell);
      if (kind == Kind.TORN_ATOMICS) {
        boolean does = cell.array.get(cell.index) == expected;
        step();
        if (does) {
          cell.array.set(cell.index, value);
        }
        return does;
      }
      return cell.array.compareAndSet(cell.index, expected, value);
    }

    @Override
    public int node() {
      return node;
    }

    @Override
    public SharedLongs longs(String name, long length, SharingUnit unit) {
      AtomicLongArray array = arrays.computeIfAbsent(name, _ -> new AtomicLongArray((int) length));
      if (array.length() != length) {
        throw new IllegalArgumentException(name + " has " + array.length() + " elements");
      }
      return new Longs(this, array);
    }

    @Override
    public void free(String name) {
      if (arrays.remove(name) == null) {
        throw new IllegalStateException("no array " + name);
      }
    }

    /** Gets what a thread has written to the others, as every barrier does. */
    @Override
    public DsmBarrier barrier(String name, int parties) {
      AtomicLong come = barriers.computeIfAbsent(name, _ -> new AtomicLong());
      return new DsmBarrier() {
        @Override
        public int parties() {
          return parties;
        }

        @Override
        public void await() {
          drain();
          long target = (come.getAndIncrement() / parties + 1) * parties;
          while (come.get() < target) {
            if (Thread.currentThread().isInterrupted()) {
              throw new IllegalStateException("interrupted");
            }
            step.run();
          }
        }
      };
    }

    @Override
    public SharedDoubles doubles(String name, long length, SharingUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SharedInts ints(String name, long length, SharingUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SharedBytes bytes(String name, long length, SharingUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public DsmLock lock(String name) {
      throw new UnsupportedOperationException();
    }

    @Override
    public DsmCondition condition(String name, DsmLock lock) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }

  private record Longs(Space space, AtomicLongArray array) implements SharedLongs {
    private Cell cell(long index) {
      return new Cell(array, Math.toIntExact(index));
    }

    @Override
    public long length() {
      return array.length();
    }

    @Override
    public long get(long index) {
      return space.get(cell(index));
    }

    @Override
    public void set(long index, long value) {
      space.set(cell(index), value);
    }

    @Override
    public long getAndAdd(long index, long delta) {
      return space.getAndAdd(cell(index), delta);
    }

    @Override
    public boolean compareAndSet(long index, long expected, long value) {
      return space.compareAndSet(cell(index), expected, value);
    }

    @Override
    public void read(long index, long[] to, int at, int count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void write(long index, long[] from, int at, int count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void readInPlace(long index, long count, Consumer<? super MemorySegment> use) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void writeInPlace(long index, long count, Consumer<? super MemorySegment> use) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void prefetch(long index, long count) {}

    @Override
    public void push(long index, long count) {}
  }
}
