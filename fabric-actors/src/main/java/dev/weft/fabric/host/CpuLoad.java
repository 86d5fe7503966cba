package dev.weft.fabric.host;

/** Processes that compute all the time, in either clock, until closed. Closing twice does nothing more. */
@FunctionalInterface
public interface CpuLoad extends AutoCloseable {
  /** No load. */
  CpuLoad NONE = () -> {};

  @Override
  void close();
}
