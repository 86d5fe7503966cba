package dev.weft.lab.seed000.shared;

import dev.weft.lab.hosts.HardwareProfile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/**
 * Runs setups, two at a time. What has been run once in this JVM is not run again: the same setup, profile and seed give the same result. Any thread.
 */
public final class Runs {
  /** What is remembered; all experiments together have about a hundred. */
  private static final int KEPT_MAX = 400;
  private static final int AT_ONCE = 2;
  /** Programs that share so much run alone: the heap that ./weft gives is too small for two. */
  private static final int LARGE_MIB = 32;
  private static final Semaphore ROOM = new Semaphore(AT_ONCE, true);

  private record Key(Setup setup, String profile, long seed) {}

  private static final Map<Key, SharedRun.Result> DONE = bounded();
  private static final Map<String, Sequential> SEQUENTIAL = bounded();

  private final String profile;
  private final HardwareProfile hardware;
  private final ProgramCosts costs;
  private final long seed;

  /** @throws IllegalArgumentException if the profile is unknown, or nobody has said what programs cost on it */
  public Runs(String profile, long seed) {
    this.profile = profile;
    this.hardware = HardwareProfile.load(profile);
    this.costs = ProgramCosts.load(profile);
    this.seed = seed;
  }

  private static <K, V> Map<K, V> bounded() {
    return new LinkedHashMap<>() {
      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > KEPT_MAX;
      }
    };
  }

  public ProgramCosts costs() {
    return costs;
  }

  public HardwareProfile hardware() {
    return hardware;
  }

  /** What a sequential run takes, in nanoseconds. */
  public double sequentialNs(Setup setup) {
    return sequential(setup).ns(costs.computing(setup.computing()));
  }

  /** Results in the order of the setups. */
  public List<SharedRun.Result> of(List<Setup> setups) {
    try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE, Thread.ofPlatform().daemon().name("weft-shared-run-", 0).factory())) {
      List<Future<SharedRun.Result>> futures = new ArrayList<>();
      setups.forEach(setup -> futures.add(threads.submit(() -> of(setup))));
      List<SharedRun.Result> results = new ArrayList<>();
      for (Future<SharedRun.Result> future : futures) {
        results.add(future.get());
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while programs ran", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
    }
  }

  private SharedRun.Result of(Setup setup) {
    Key key = new Key(setup, profile, seed);
    synchronized (DONE) {
      if (DONE.containsKey(key)) {
        return DONE.get(key);
      }
    }
    SharedRun.Result result = made(setup);
    synchronized (DONE) {
      DONE.put(key, result);
    }
    return result;
  }

  private SharedRun.Result made(Setup setup) {
    int room = Program.memoryMiB(setup.application(), setup.size()) >= LARGE_MIB ? AT_ONCE : 1;
    ROOM.acquireUninterruptibly(room);
    try {
      return SharedRun.of(setup, hardware, costs, seed, sequential(setup));
    } finally {
      ROOM.release(room);
    }
  }

  private static Sequential sequential(Setup setup) {
    synchronized (SEQUENTIAL) {
      return SEQUENTIAL.computeIfAbsent(setup.application() + " " + setup.size(), unknown -> Sequential.of(setup.application(), setup.size()));
    }
  }
}
