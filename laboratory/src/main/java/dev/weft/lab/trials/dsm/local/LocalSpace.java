package dev.weft.lab.trials.dsm.local;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.OtherShapeException;
import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedMemoryException;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.access.InPlace;
import dev.weft.dsm.wire.ObjectName;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Memory that the threads of this JVM share, with the guarantees of {@link SharedSpace}; the only node is 0. A program with one worker on
 * {@link #forOneThread} is its own sequential version: accesses cost nothing but the check of bounds.
 */
public final class LocalSpace implements SharedSpace {
  /** Maximum length of an array in this JVM, whatever the size of the heap. */
  private static final long LENGTH_MAX = Integer.MAX_VALUE - 8;

  private enum Kind { LONGS, DOUBLES, INTS, BYTES, LOCK, BARRIER, CONDITION }

  /** @param of the lock of a condition; null for other kinds */
  private record Shape(Kind kind, long size, long strideBytes, DsmLock of) {
    @Override
    public String toString() {
      return switch (kind) {
        case LOCK -> "a lock";
        case BARRIER -> "a barrier of " + size + " parties";
        case CONDITION -> "a condition of the lock \"" + ((LocalLock) of).name() + "\"";
        default -> kind.name().toLowerCase(Locale.ROOT) + " of length " + size + " in minipages of " + strideBytes + " bytes";
      };
    }
  }

  private record Named(Shape shape, Object object) {}

  private final boolean oneThread;
  /** Guarded by itself, as is {@link #closed}. */
  private final Map<String, Named> objects = new HashMap<>();
  private boolean closed;

  private LocalSpace(boolean oneThread) {
    this.oneThread = oneThread;
  }

  /** Makes a space for any number of threads. */
  public static LocalSpace forThreads() {
    return new LocalSpace(false);
  }

  /** Makes a space for one thread, which makes all calls. */
  public static LocalSpace forOneThread() {
    return new LocalSpace(true);
  }

  static IllegalStateException closed() {
    return new IllegalStateException("the space is closed");
  }

  @Override
  public int node() {
    return 0;
  }

  @Override
  public SharedLongs longs(String name, long length, SharingUnit unit) {
    Shape shape = array(name, Kind.LONGS, length, Long.BYTES, unit);
    return (SharedLongs) find(name, shape, () -> new LocalLongs(name, (int) length, unit, oneThread));
  }

  @Override
  public SharedDoubles doubles(String name, long length, SharingUnit unit) {
    Shape shape = array(name, Kind.DOUBLES, length, Double.BYTES, unit);
    return (SharedDoubles) find(name, shape, () -> new LocalDoubles(name, (int) length, unit, oneThread));
  }

  @Override
  public SharedInts ints(String name, long length, SharingUnit unit) {
    Shape shape = array(name, Kind.INTS, length, Integer.BYTES, unit);
    return (SharedInts) find(name, shape, () -> new LocalInts(name, (int) length, unit, oneThread));
  }

  @Override
  public SharedBytes bytes(String name, long length, SharingUnit unit) {
    Shape shape = array(name, Kind.BYTES, length, Byte.BYTES, unit);
    return (SharedBytes) find(name, shape, () -> new LocalBytes(name, (int) length, unit, oneThread));
  }

  @Override
  public void free(String name) {
    InPlace.mine().requireOutside();
    synchronized (objects) {
      checkOpen();
      Named named = objects.get(name);
      if (named == null || !(named.object() instanceof LocalArray array)) {
        throw new IllegalArgumentException("there is no array " + name);
      }
      objects.remove(name);
      array.leave();
    }
  }

  @Override
  public DsmLock lock(String name) {
    return (DsmLock) find(name, new Shape(Kind.LOCK, 0, 0, null), () -> new LocalLock(this, name));
  }

  @Override
  public DsmBarrier barrier(String name, int parties) {
    ObjectSpec.requireParties(name, parties);
    return (DsmBarrier) find(name, new Shape(Kind.BARRIER, parties, 0, null), () -> new LocalBarrier(name, parties));
  }

  @Override
  public DsmCondition condition(String name, DsmLock lock) {
    if (!(lock instanceof LocalLock own && own.isOf(this))) {
      throw new IllegalArgumentException("condition " + name + " of a lock of another space");
    }
    return (DsmCondition) find(name, new Shape(Kind.CONDITION, 0, 0, lock), () -> new LocalCondition(own));
  }

  @Override
  public void close() {
    InPlace.mine().requireOutside();
    List<Object> all = new ArrayList<>();
    synchronized (objects) {
      closed = true;
      objects.values().forEach(named -> all.add(named.object()));
    }
    for (Object object : all) {
      switch (object) {
        case LocalArray array -> array.leave();
        case LocalBarrier barrier -> barrier.close();
        case LocalLock lock -> lock.close(all.stream().filter(LocalCondition.class::isInstance).map(LocalCondition.class::cast)
            .filter(condition -> condition.lock() == lock).map(LocalCondition::queue).toList());
        default -> { }
      }
    }
  }

  private static Shape array(String name, Kind kind, long length, int elementBytes, SharingUnit unit) {
    if (length < 1) {
      throw new IllegalArgumentException("array " + name + " of " + length + " elements, must have 1 or more");
    }
    long strideBytes = unit.strideBytes(length, elementBytes);
    if (length > LENGTH_MAX) {
      throw new SharedMemoryException("array " + name + " of " + length + " elements, an array of this JVM holds " + LENGTH_MAX);
    }
    return new Shape(kind, length, strideBytes, null);
  }

  private Object find(String name, Shape shape, Supplier<Object> maker) {
    ObjectName.require(name);
    synchronized (objects) {
      checkOpen();
      Named named = objects.get(name);
      if (named == null) {
        named = new Named(shape, maker.get());
        objects.put(name, named);
      } else if (!named.shape().equals(shape)) {
        throw new OtherShapeException("\"" + name + "\" is " + named.shape() + ", and was asked for as " + shape,
            named.shape().kind() == Kind.LONGS ? named.shape().size() : -1);
      }
      return named.object();
    }
  }

  private void checkOpen() {
    if (closed) {
      throw closed();
    }
  }
}
