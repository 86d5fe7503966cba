package dev.weft.pvfs.types;

import java.util.Arrays;

/** Blocks of one type, each with its own length and displacement. */
record Indexed(long[] blockLengths, long[] displacements, Datatype of) implements Datatype {
  Indexed {
    if (blockLengths.length != displacements.length) {
      throw new IllegalArgumentException("a data type of " + blockLengths.length + " blocks with " + displacements.length + " displacements, must be as many");
    }
    blockLengths = blockLengths.clone();
    displacements = displacements.clone();
    Checks.depth(of);
    long size = 0;
    long pieces = 0;
    for (int i = 0; i < blockLengths.length; i++) {
      Checks.notNegative("a length", blockLengths[i]);
      Checks.notNegative("a displacement", displacements[i]);
      Checks.sum(displacements[i], Checks.times(blockLengths[i], of.extent()));
      size = Checks.sum(size, Checks.times(blockLengths[i], of.size()));
      pieces += Checks.row(blockLengths[i], of);
    }
    Checks.regions(1, pieces);
  }

  @Override
  public long size() {
    return Arrays.stream(blockLengths).sum() * of.size();
  }

  @Override
  public long extent() {
    long end = 0;
    for (int i = 0; i < blockLengths.length; i++) {
      end = Math.max(end, blockLengths[i] == 0 ? 0 : displacements[i] + blockLengths[i] * of.extent());
    }
    return end;
  }

  @Override
  public long regions() {
    return Arrays.stream(blockLengths).map(length -> Checks.row(length, of)).sum();
  }

  @Override
  public boolean isDense() {
    return of.isDense() && Arrays.stream(blockLengths).filter(length -> length > 0).count() <= 1 && size() == extent();
  }

  @Override
  public int depth() {
    return of.depth() + 1;
  }

  @Override
  public void tell(long at, RegionSink to) {
    for (int i = 0; i < blockLengths.length; i++) {
      if (blockLengths[i] > 0) {
        of.times(blockLengths[i]).tell(at + displacements[i], to);
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Indexed same && Arrays.equals(blockLengths, same.blockLengths) && Arrays.equals(displacements, same.displacements)
        && of.equals(same.of);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * Arrays.hashCode(blockLengths) + Arrays.hashCode(displacements)) + of.hashCode();
  }

  @Override
  public String toString() {
    return "Indexed[" + blockLengths.length + " blocks of " + of + "]";
  }
}
