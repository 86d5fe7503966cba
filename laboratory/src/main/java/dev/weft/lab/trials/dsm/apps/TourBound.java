package dev.weft.lab.trials.dsm.apps;

import java.util.Arrays;

/**
 * Lower bound of the rest of a tour: the shortest spanning tree of the remaining cities, and the shortest ways to it from the last city and from it
 * to the first city. Trees are cached by their sets of cities. Used by one worker.
 */
final class TourBound {
  private final Cities cities;
  /** Length of the shortest spanning tree by set of cities, where city n is bit n - 1; -1 if not known yet. */
  private final int[] trees;
  private long operations;

  TourBound(Cities cities) {
    this.cities = cities;
    this.trees = new int[1 << cities.count() - 1];
    Arrays.fill(trees, -1);
    trees[0] = 0;
  }

  /** The bound for a tour that is at {@code last} and must still visit {@code left}, not empty, and return to city 0. */
  int rest(int last, int left) {
    int there = Integer.MAX_VALUE;
    int back = Integer.MAX_VALUE;
    for (int set = left; set != 0; set &= set - 1) {
      int city = Integer.numberOfTrailingZeros(set) + 1;
      there = Math.min(there, cities.from(last)[city]);
      back = Math.min(back, cities.from(0)[city]);
      operations += 2;
    }
    return there + tree(left) + back;
  }

  /** Operations since the last call. */
  long takeOperations() {
    long taken = operations;
    operations = 0;
    return taken;
  }

  private int tree(int set) {
    if (trees[set] < 0) {
      trees[set] = grow(set);
    }
    return trees[set];
  }

  /** Prim's algorithm. */
  private int grow(int set) {
    int[] near = new int[cities.count()];
    Arrays.fill(near, Integer.MAX_VALUE);
    int length = 0;
    int city = Integer.numberOfTrailingZeros(set) + 1;
    int outside = set;
    while ((outside &= ~(1 << city - 1)) != 0) {
      int[] from = cities.from(city);
      int nearest = -1;
      for (int rest = outside; rest != 0; rest &= rest - 1) {
        int other = Integer.numberOfTrailingZeros(rest) + 1;
        near[other] = Math.min(near[other], from[other]);
        nearest = nearest < 0 || near[other] < near[nearest] ? other : nearest;
        operations += 2;
      }
      length += near[nearest];
      city = nearest;
    }
    return length;
  }
}
