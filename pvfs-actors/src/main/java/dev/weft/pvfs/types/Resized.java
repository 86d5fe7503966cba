package dev.weft.pvfs.types;

/** A type with another extent; it may be shorter than the type. */
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

  /** Only with the type's own extent. Another extent may equal the size although the piece begins later. */
  @Override
  public boolean isDense() {
    return of.isDense() && extent == of.extent();
  }

  @Override
  public void tell(long at, RegionSink to) {
    of.tell(at, to);
  }
}
