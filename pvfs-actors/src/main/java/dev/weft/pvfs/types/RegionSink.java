package dev.weft.pvfs.types;

/** Receives the pieces of a {@link Datatype} in order. Adjacent pieces may come separately. */
@FunctionalInterface
public interface RegionSink {
  void add(long offset, long bytes);
}
