package dev.weft.dsm.apps;

import java.util.Arrays;

/**
 * At least how long the rest of a tour is: the shortest spanning tree of the cities that are left, and the shortest ways to it from the last
 * city and from it to the first one. Trees are kept by their sets of cities. Of one worker.
 */
final class TourBound {
  private final Cities cities;
  /** Length of the shortest spanning tree by the set of cities, whose bit is their number less 1; -1 not known yet. */
  private final int[] trees;
  private long operations;

  TourBound(Cities cities) {
    this.cities = cities;
    this.trees = new int[1 << cities.count() - 1];
    Arrays.fill(trees, -1);
    trees[0] = 0;
  }

  /** Of a tour that stands in {@code last} and has yet to go through {@code left}, not empty, back to city 0. */
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

  /** The algorithm of Prim. */
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
