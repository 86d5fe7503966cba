package dev.weft.lab.trials.dsm.apps;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The common part of all applications' workers: names, a barrier of all, and a share of the work. */
abstract class SharedWork implements Work {
  private static final int WORKERS_MAX = 64;
  private static final int RUN_BYTES_MAX = 40;

  final Worker worker;
  final SharedSpace space;
  private final DsmBarrier all;
  private final List<String> arrays = new ArrayList<>();

  SharedWork(Worker worker) {
    int count = worker.count();
    if (count < 1 || count > WORKERS_MAX || worker.index() < 0 || worker.index() >= count) {
      throw new IllegalArgumentException("worker " + worker.index() + " of " + count + ", must be 0 to " + WORKERS_MAX + " - 1 of 1 to "
          + WORKERS_MAX);
    }
    int bytes = worker.run().getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > RUN_BYTES_MAX) {
      throw new IllegalArgumentException("run '" + worker.run() + "' of " + bytes + " bytes, must have 1 to " + RUN_BYTES_MAX);
    }
    this.worker = worker;
    this.space = worker.space();
    this.all = space.barrier(named("all"), count);
  }

  @Override
  public final void prepare() {
    fill();
    meet();
  }

  @Override
  public final void run() {
    work();
    meet();
  }

  @Override
  public final void gather() {
    collect();
    meet();
  }

  @Override
  public final void free() {
    arrays.forEach(space::free);
    arrays.clear();
  }

  /** Does this worker's part of {@link #prepare}. */
  abstract void fill();

  /** Does this worker's part of {@link #run}; other workers may still run when it returns. */
  abstract void work();

  /** Does this worker's part of {@link #gather}. */
  void collect() {}

  /** Waits for all workers. */
  final void meet() {
    all.await();
  }

  /** This worker's share of {@code size} items. */
  final Share mine(int size) {
    return Share.of(size, worker.index(), worker.count());
  }

  final boolean first() {
    return worker.index() == 0;
  }

  final SharedDoubles doubles(String what, long length, SharingUnit unit) {
    return space.doubles(array(what), length, unit, worker.consistency());
  }

  final SharedInts ints(String what, long length, SharingUnit unit) {
    return space.ints(array(what), length, unit, worker.consistency());
  }

  final SharedLongs longs(String what, long length, SharingUnit unit) {
    return space.longs(array(what), length, unit, worker.consistency());
  }

  /** An array of elements that threads add to atomically; always sequentially consistent. */
  final SharedDoubles doubleSums(String what, long length, SharingUnit unit) {
    return space.doubles(array(what), length, unit, Consistency.SEQUENTIAL);
  }

  /** As {@link #doubleSums}. */
  final SharedInts intSums(String what, long length, SharingUnit unit) {
    return space.ints(array(what), length, unit, Consistency.SEQUENTIAL);
  }

  /** As {@link #doubleSums}. */
  final SharedLongs longSums(String what, long length, SharingUnit unit) {
    return space.longs(array(what), length, unit, Consistency.SEQUENTIAL);
  }

  final DsmLock lock(String what) {
    return space.lock(named(what));
  }

  final DsmLock[] locks(String what, int count) {
    DsmLock[] locks = new DsmLock[count];
    for (int i = 0; i < count; i++) {
      locks[i] = lock(what + i);
    }
    return locks;
  }

  private String array(String what) {
    String name = named(what);
    arrays.add(name);
    return name;
  }

  private String named(String what) {
    return worker.run() + "." + what;
  }
}
