package dev.weft.lab.trials.dsm.apps;

import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The shortest tour through some cities, by branch and bound. A queue under a lock has the first three cities of all tours. A worker takes one and
 * follows it to its ends, the nearest city first, as long as it may become shorter than the best tour.
 *
 * <p>Each step reads the length of the best tour without a lock: an old value costs time, but does not change the result. The length is changed under
 * a lock after a second comparison, and then pushed to all nodes, as in OSDI 1999 (Kernel DSM, reference 14). Its minipage has nothing else.
 */
final class Tsp extends SizedApplication<Tsp.Size> {
  private static final int NO_TOUR = Integer.MAX_VALUE;
  /** Operations after which a worker reports them, if it has no other reason to. */
  private static final long OPERATIONS_AT_ONCE = 10_000;

  /** An instance. */
  record Size(Supplier<Cities> cities) {}

  Tsp() {
    super("tsp", "travelling salesman by branch and bound");
    size("burma14", new Size(Cities::burma14));
    size("ulysses16", new Size(Cities::ulysses16));
    size("gr17", new Size(Cities::gr17));
  }

  @Override
  Work work(Worker worker, Size size) {
    return new Part(worker, size.cities().get());
  }

  private static final class Part extends SharedWork {
    private final Cities cities;
    private final int count;
    private final TourBound bound;
    /** By city: the other cities, the nearest first. */
    private final int[][] nearest;
    /** Number of taken tasks, then the tasks: the second city, and the third times 256. */
    private final SharedInts queue;
    private final int tasks;
    private final DsmLock queueLock;
    /** Length of the best tour. */
    private final SharedInts best;
    private final SharedInts bestTour;
    private final DsmLock bestLock;
    private final SharedLongs steps;
    private final int[] tour;
    private long ownSteps;

    private Part(Worker worker, Cities cities) {
      super(worker);
      this.cities = cities;
      this.count = cities.count();
      this.bound = new TourBound(cities);
      this.nearest = new int[count][];
      for (int city = 0; city < count; city++) {
        nearest[city] = nearest(city);
      }
      this.tasks = (count - 1) * (count - 2);
      this.queue = ints("queue", 1 + tasks, SharingUnit.whole());
      this.queueLock = lock("queue.lock");
      this.best = ints("best", 1, SharingUnit.whole());
      this.bestTour = ints("tour", count, SharingUnit.whole());
      this.bestLock = lock("best.lock");
      this.steps = longSums("steps", 1, SharingUnit.whole());
      this.tour = new int[count];
    }

    private int[] nearest(int city) {
      return IntStream.range(1, count).filter(other -> other != city).boxed()
          .sorted(Comparator.comparing(other -> cities.from(city)[other])).mapToInt(Integer::intValue).toArray();
    }

    @Override
    void fill() {
      if (first()) {
        best.set(0, NO_TOUR);
        int at = 1;
        for (int second : nearest[0]) {
          for (int third : nearest[second]) {
            queue.set(at++, second | third << 8);
          }
        }
      }
    }

    @Override
    void work() {
      for (int task = take(); task >= 0; task = take()) {
        int second = task & 255;
        int third = task >> 8;
        tour[1] = second;
        tour[2] = third;
        int all = (1 << count - 1) - 1;
        follow(3, cities.from(0)[second] + cities.from(second)[third], all & ~(1 << second - 1) & ~(1 << third - 1));
        worker.compute(Operation.INTEGER, bound.takeOperations());
      }
    }

    /** Takes a task; -1 if none is left. */
    private int take() {
      queueLock.acquire();
      int taken = queue.get(0);
      int task = -1;
      if (taken < tasks) {
        task = queue.get(1 + taken);
        queue.set(0, taken + 1);
      }
      queueLock.release();
      return task;
    }

    /** Extends a tour of {@code done} cities with this length through the cities of {@code left}. */
    private void follow(int done, int length, int left) {
      ownSteps++;
      int last = tour[done - 1];
      if (left == 0) {
        offer(length + cities.from(last)[0]);
        return;
      }
      if (length + bound.rest(last, left) >= best.get(0)) {
        return;
      }
      long operations = ownSteps % OPERATIONS_AT_ONCE == 0 ? bound.takeOperations() : 0;
      if (operations > 0) {
        worker.compute(Operation.INTEGER, operations);
      }
      for (int next : nearest[last]) {
        if ((left & 1 << next - 1) != 0) {
          tour[done] = next;
          follow(done + 1, length + cities.from(last)[next], left & ~(1 << next - 1));
        }
      }
    }

    private void offer(int length) {
      if (length >= best.get(0)) {
        return;
      }
      bestLock.acquire();
      if (length < best.get(0)) {
        bestTour.write(0, tour, 0, count);
        best.set(0, length);
        best.push(0, 1);
      }
      bestLock.release();
    }

    @Override
    void collect() {
      steps.getAndAdd(0, ownSteps);
    }

    @Override
    public Outcome outcome() {
      int length = best.get(0);
      int[] found = new int[count];
      bestTour.read(0, found, 0, count);
      boolean[] seen = new boolean[count];
      for (int city : found) {
        if (city >= 0 && city < count) {
          seen[city] = true;
        }
      }
      boolean whole = IntStream.range(0, count).allMatch(city -> seen[city]);
      boolean real = whole && cities.length(found) == length;
      return new Outcome(List.of("shortest tour of " + count + " cities " + length + ": " + Arrays.toString(found),
          steps.get(0) + " beginnings of tours"),
          List.of(new Check("tour", real, whole ? "length " + cities.length(found) + ", said " + length : "not all cities"),
              new Check("optimum", length == cities.shortest(), length + ", expected " + cities.shortest())),
          new Digest().add(length).value(), new double[0]);
    }
  }
}
