package dev.weft.lab.sim.dsm;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import dev.weft.fabric.time.AppThread;
import dev.weft.lab.kit.Draw;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A space for one thread of a simulation. Some accesses to longs take a random time before they run; otherwise accesses without a fault would take
 * none. Arrays of flags that a thread polls are not slowed down.
 */
final class PacedSpace implements SharedSpace {
  private static final double AT_ONCE = 0.7;
  private static final long LONGEST_NS = 20_000;

  private final SharedSpace space;
  private final Draw draw;

  PacedSpace(SharedSpace space, Draw draw) {
    this.space = space;
    this.draw = draw;
  }

  private void pace() {
    if (!draw.chance(AT_ONCE)) {
      AppThread.current().compute((long) draw.logarithmic(1, LONGEST_NS));
    }
  }

  @Override
  public int node() {
    return space.node();
  }

  @Override
  public SharedLongs longs(String name, long length, SharingUnit unit) {
    SharedLongs longs = space.longs(name, length, unit);
    return name.endsWith("-gate") ? longs : new PacedLongs(longs);
  }

  @Override
  public SharedDoubles doubles(String name, long length, SharingUnit unit) {
    return space.doubles(name, length, unit);
  }

  @Override
  public SharedInts ints(String name, long length, SharingUnit unit) {
    return space.ints(name, length, unit);
  }

  @Override
  public SharedBytes bytes(String name, long length, SharingUnit unit) {
    return space.bytes(name, length, unit);
  }

  @Override
  public void free(String name) {
    space.free(name);
  }

  @Override
  public DsmLock lock(String name) {
    return space.lock(name);
  }

  @Override
  public DsmBarrier barrier(String name, int parties) {
    return space.barrier(name, parties);
  }

  @Override
  public DsmCondition condition(String name, DsmLock lock) {
    return space.condition(name, lock);
  }

  /** Does not close the space of the other threads. */
  @Override
  public void close() {}

  private final class PacedLongs implements SharedLongs {
    private final SharedLongs longs;

    PacedLongs(SharedLongs longs) {
      this.longs = longs;
    }

    @Override
    public long length() {
      return longs.length();
    }

    @Override
    public long get(long index) {
      pace();
      return longs.get(index);
    }

    @Override
    public void set(long index, long value) {
      pace();
      longs.set(index, value);
    }

    @Override
    public long getAndAdd(long index, long delta) {
      pace();
      return longs.getAndAdd(index, delta);
    }

    @Override
    public boolean compareAndSet(long index, long expected, long value) {
      pace();
      return longs.compareAndSet(index, expected, value);
    }

    @Override
    public void read(long index, long[] to, int at, int count) {
      longs.read(index, to, at, count);
    }

    @Override
    public void write(long index, long[] from, int at, int count) {
      longs.write(index, from, at, count);
    }

    @Override
    public void readInPlace(long index, long count, Consumer<? super MemorySegment> use) {
      longs.readInPlace(index, count, use);
    }

    @Override
    public void writeInPlace(long index, long count, Consumer<? super MemorySegment> use) {
      longs.writeInPlace(index, count, use);
    }

    @Override
    public void prefetch(long index, long count) {
      longs.prefetch(index, count);
    }

    @Override
    public void push(long index, long count) {
      longs.push(index, count);
    }
  }
}
