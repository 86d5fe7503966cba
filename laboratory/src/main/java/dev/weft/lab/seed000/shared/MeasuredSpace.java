package dev.weft.lab.seed000.shared;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** A shared space that tells {@link ChargedThread} which time goes to locks and barriers. Programs on it have no conditions. */
record MeasuredSpace(SharedSpace inner) implements SharedSpace {
  private record Lock(DsmLock inner) implements DsmLock {
    @Override
    public Acquired acquire() {
      return during(Spending.On.LOCKS, inner::acquire);
    }

    @Override
    public Optional<Acquired> tryAcquire(Duration max) {
      return during(Spending.On.LOCKS, () -> inner.tryAcquire(max));
    }

    @Override
    public void release() {
      during(Spending.On.LOCKS, () -> {
        inner.release();
        return null;
      });
    }
  }

  private record Barrier(DsmBarrier inner) implements DsmBarrier {
    @Override
    public int parties() {
      return inner.parties();
    }

    @Override
    public void await() {
      during(Spending.On.BARRIERS, () -> {
        inner.await();
        return null;
      });
    }
  }

  private static <T> T during(Spending.On what, Supplier<T> call) {
    ChargedThread me = ChargedThread.current();
    me.turnsTo(what);
    T result = call.get();
    me.turnsTo(Spending.On.COMPUTING);
    return result;
  }

  @Override
  public int node() {
    return inner.node();
  }

  @Override
  public SharedLongs longs(String name, long length, SharingUnit unit) {
    return inner.longs(name, length, unit);
  }

  @Override
  public SharedLongs longs(String name, long length, SharingUnit unit, Consistency consistency) {
    return inner.longs(name, length, unit, consistency);
  }

  @Override
  public SharedDoubles doubles(String name, long length, SharingUnit unit) {
    return inner.doubles(name, length, unit);
  }

  @Override
  public SharedDoubles doubles(String name, long length, SharingUnit unit, Consistency consistency) {
    return inner.doubles(name, length, unit, consistency);
  }

  @Override
  public SharedInts ints(String name, long length, SharingUnit unit) {
    return inner.ints(name, length, unit);
  }

  @Override
  public SharedInts ints(String name, long length, SharingUnit unit, Consistency consistency) {
    return inner.ints(name, length, unit, consistency);
  }

  @Override
  public SharedBytes bytes(String name, long length, SharingUnit unit) {
    return inner.bytes(name, length, unit);
  }

  @Override
  public SharedBytes bytes(String name, long length, SharingUnit unit, Consistency consistency) {
    return inner.bytes(name, length, unit, consistency);
  }

  @Override
  public void release() {
    inner.release();
  }

  @Override
  public void free(String name) {
    inner.free(name);
  }

  @Override
  public DsmLock lock(String name) {
    return new Lock(inner.lock(name));
  }

  @Override
  public DsmBarrier barrier(String name, int parties) {
    return new Barrier(inner.barrier(name, parties));
  }

  @Override
  public DsmCondition condition(String name, DsmLock lock) {
    throw new UnsupportedOperationException("programs on simulated hosts have no conditions; \"" + name + "\" was asked for");
  }

  @Override
  public void close() {
    inner.close();
  }
}
