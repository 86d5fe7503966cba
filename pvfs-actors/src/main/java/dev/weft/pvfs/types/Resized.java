package dev.weft.pvfs.types;

/** A type with another extent than its own; it may be shorter. */
record Resized(long extent, Datatype of) implements Datatype {
  Resized {
    Checks.notNegative("an extent", extent);
    Checks.sum(extent, 0);
    Checks.depth(of);
  }

  @Override
  public long size() {
    return of.size();
  }

  @Override
  public long regions() {
    return of.regions();
  }

  @Override
  public int depth() {
    return of.depth() + 1;
  }

  /** With its own extent it is what it was; with another one that happens to be its size its piece may begin later. */
  @Override
  public boolean isDense() {
    return of.isDense() && extent == of.extent();
  }

  @Override
  public void tell(long at, RegionSink to) {
    of.tell(at, to);
  }
}
