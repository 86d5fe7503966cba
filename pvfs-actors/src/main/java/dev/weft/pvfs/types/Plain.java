package dev.weft.pvfs.types;

/** A row of bytes without gaps. */
record Plain(long size) implements Datatype {
  Plain {
    Checks.notNegative("the size", size);
    Checks.sum(size, 0);
  }

  @Override
  public long extent() {
    return size;
  }

  @Override
  public long regions() {
    return size == 0 ? 0 : 1;
  }

  @Override
  public boolean isDense() {
    return true;
  }

  @Override
  public int depth() {
    return 1;
  }

  @Override
  public void tell(long at, RegionSink to) {
    if (size > 0) {
      to.add(at, size);
    }
  }
}
