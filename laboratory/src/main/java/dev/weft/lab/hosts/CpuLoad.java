package dev.weft.lab.hosts;

/** Processes that compute all the time until this is closed, in real or virtual time. A second close has no effect. */
@FunctionalInterface
public interface CpuLoad extends AutoCloseable {
  /** No load. */
  CpuLoad NONE = () -> {};

  @Override
  void close();
}
