package dev.weft.lab.repro;

import dev.weft.lab.figures.Calibration;

/**
 * What an experiment runs under.
 *
 * @param profile name of the hardware profile
 * @param seed seed of the run: schedule, workload
 * @param calibration the rows that may be read
 * @param size how large, for experiments that {@linkplain Experiment#isSized() have a size}
 */
public record Setting(String profile, long seed, Calibration calibration, Size size) {
  /** Of the default size. */
  public Setting(String profile, long seed, Calibration calibration) {
    this(profile, seed, calibration, Size.DEFAULT);
  }
}
