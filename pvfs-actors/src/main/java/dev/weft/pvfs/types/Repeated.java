package dev.weft.pvfs.types;

/** Elements of one type at equal distances. */
record Repeated(long count, long strideBytes, Datatype of) implements Datatype {
  Repeated {
    Checks.notNegative("a count", count);
    Checks.notNegative("a stride", strideBytes);
    Checks.times(count, of.size());
    Checks.sum(Checks.times(count, strideBytes), of.extent());
    Checks.depth(of);
    if (!isRow(strideBytes, of)) {
      Checks.regions(count, of.regions());
    }
  }

  private static boolean isRow(long strideBytes, Datatype of) {
    return of.isDense() && strideBytes == of.extent();
  }

  @Override
  public long size() {
    return count * of.size();
  }

  /** To the end of the last element, or to where the next one would begin, whichever is further. */
  @Override
  public long extent() {
    return count == 0 ? 0 : Math.max(count * strideBytes, (count - 1) * strideBytes + of.extent());
  }

  @Override
  public long regions() {
    return isRow(strideBytes, of) ? Math.min(count, of.regions()) : count * of.regions();
  }

  @Override
  public boolean isDense() {
    return of.isDense() && (count <= 1 || strideBytes == of.extent()) && size() == extent();
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
    if (isRow(strideBytes, of)) {
      to.add(at, size());
      return;
    }
    for (long i = 0; i < count; i++) {
      of.tell(at + i * strideBytes, to);
    }
  }
}
