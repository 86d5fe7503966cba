package dev.weft.lab.repro;

import java.util.List;

/** One that measures this machine: no profile fits it, and it speaks to no row of a paper, which measured another. */
public interface RealTimeExperiment extends Experiment {
  @Override
  default String defaultProfile() {
    return "this machine";
  }

  @Override
  default List<String> rows() {
    return List.of();
  }

  @Override
  default boolean isRealTime() {
    return true;
  }
}
