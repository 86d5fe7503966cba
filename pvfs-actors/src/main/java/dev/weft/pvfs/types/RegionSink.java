package dev.weft.pvfs.types;

/** Gets the pieces of a {@link Datatype}, in order; neighbours may not be joined. */
@FunctionalInterface
public interface RegionSink {
  void add(long offset, long bytes);
}
