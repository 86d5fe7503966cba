package dev.weft.pvfs.types;

import java.util.Arrays;

/** A part of an array whose last index goes fastest. */
record Subarray(long[] sizes, long[] subsizes, long[] starts, Datatype of) implements Datatype {
  Subarray {
    if (sizes.length == 0 || subsizes.length != sizes.length || starts.length != sizes.length) {
      throw new IllegalArgumentException("a part of an array of " + sizes.length + " dimensions with " + subsizes.length + " sizes and " + starts.length
          + " starts, must be as many, and one at least");
    }
    sizes = sizes.clone();
    subsizes = subsizes.clone();
    starts = starts.clone();
    Checks.depth(of);
    long all = of.extent();
    long pieces = 1;
    for (int i = sizes.length - 1; i >= 0; i--) {
      if (sizes[i] < 1 || subsizes[i] < 1 || starts[i] < 0 || starts[i] > sizes[i] - subsizes[i]) {
        throw new IllegalArgumentException("a part of " + subsizes[i] + " from " + starts[i] + " of " + sizes[i] + " in dimension " + i
            + ", must have 1 and lie inside");
      }
      all = Checks.times(all, sizes[i]);
      pieces = i == sizes.length - 1 ? Checks.row(subsizes[i], of) : Checks.regions(pieces, subsizes[i]);
    }
  }

  @Override
  public long size() {
    return Arrays.stream(subsizes).reduce(of.size(), (a, b) -> a * b);
  }

  @Override
  public long extent() {
    return Arrays.stream(sizes).reduce(of.extent(), (a, b) -> a * b);
  }

  @Override
  public long regions() {
    long pieces = Checks.row(subsizes[subsizes.length - 1], of);
    for (int i = 0; i < subsizes.length - 1; i++) {
      pieces *= subsizes[i];
    }
    return pieces;
  }

  /** Only if the part is the whole array. */
  @Override
  public boolean isDense() {
    return of.isDense() && size() == extent();
  }

  @Override
  public int depth() {
    return of.depth() + 1;
  }

  @Override
  public void tell(long at, RegionSink to) {
    if (size() == 0) {
      return;
    }
    tell(at, 0, extent() / sizes[0], of.times(subsizes[subsizes.length - 1]), to);
  }

  /** {@code step}: bytes from one index of the dimension to the next. */
  private void tell(long at, int dimension, long step, Datatype row, RegionSink to) {
    long first = at + starts[dimension] * step;
    if (dimension == sizes.length - 1) {
      row.tell(first, to);
      return;
    }
    for (long i = 0; i < subsizes[dimension]; i++) {
      tell(first + i * step, dimension + 1, step / sizes[dimension + 1], row, to);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Subarray same && Arrays.equals(sizes, same.sizes) && Arrays.equals(subsizes, same.subsizes)
        && Arrays.equals(starts, same.starts) && of.equals(same.of);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * (31 * Arrays.hashCode(sizes) + Arrays.hashCode(subsizes)) + Arrays.hashCode(starts)) + of.hashCode();
  }

  @Override
  public String toString() {
    return "Subarray[" + Arrays.toString(subsizes) + " from " + Arrays.toString(starts) + " of " + Arrays.toString(sizes) + " of " + of + "]";
  }
}
