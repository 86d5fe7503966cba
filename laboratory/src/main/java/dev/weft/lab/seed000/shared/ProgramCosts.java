package dev.weft.lab.seed000.shared;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import dev.weft.lab.trials.dsm.apps.Operation;

/**
 * What programs on shared memory cost, beside what the hardware profile of the same name has: {@code shared/NAME.conf}, where each number names its source.
 *
 * @param floatingNs an addition, subtraction or multiplication of doubles, in nanoseconds
 * @param rootNs a division or square root of doubles
 * @param integerNs an operation of integers with its load or store
 * @param faultNs a fault up to the first instruction of the protocol and back
 * @param managerCallNs a call of the paper's memory manager
 * @param managerPageNs each page in addition
 */
public record ProgramCosts(double floatingNs, double rootNs, double integerNs, long faultNs, long managerCallNs, long managerPageNs) {
  private static final double NS_PER_US = 1e3;

  public ProgramCosts {
    if (!(floatingNs >= 0 && rootNs >= 0 && integerNs >= 0 && faultNs >= 0 && managerCallNs >= 0 && managerPageNs >= 0)) {
      throw new IllegalArgumentException("costs must be 0 or more: floating " + floatingNs + ", root " + rootNs + ", integer " + integerNs
          + ", fault " + faultNs + ", manager " + managerCallNs + " and " + managerPageNs + " ns");
    }
  }

  /**
   * Those that ship for a hardware profile.
   *
   * @throws IllegalArgumentException if there are none
   */
  public static ProgramCosts load(String profile) {
    try {
      return from(ConfigFactory.parseResources(ProgramCosts.class.getClassLoader(), "shared/" + profile + ".conf",
          ConfigParseOptions.defaults().setAllowMissing(false)));
    } catch (ConfigException.IO missing) {
      throw new IllegalArgumentException("there are no costs of programs on shared memory for the profile '" + profile + "'; use ib-2003-p3", missing);
    }
  }

  static ProgramCosts from(Config config) {
    double cycleNs = NS_PER_US / value(config, "computing.clock");
    return new ProgramCosts(cycleNs * value(config, "computing.floating"), cycleNs * value(config, "computing.root"),
        cycleNs * value(config, "computing.integer"), us(config, "kernel.fault"), us(config, "manager.call"), us(config, "manager.page"));
  }

  private static double value(Config config, String path) {
    if (config.getString(path + ".source").isBlank()) {
      throw new IllegalArgumentException(path + " has no source");
    }
    return config.getDouble(path + ".value");
  }

  private static long us(Config config, String path) {
    return Math.round(value(config, path) * NS_PER_US);
  }

  /** The same machine, on which all computing takes {@code factor} times as long. */
  public ProgramCosts computing(double factor) {
    return new ProgramCosts(factor * floatingNs, factor * rootNs, factor * integerNs, faultNs, managerCallNs, managerPageNs);
  }

  /** Nanoseconds of one call of the memory manager for minipages of so many pages each. */
  public long managerNs(long minipages, long pages) {
    return managerCallNs + minipages * pages * managerPageNs;
  }

  /** Nanoseconds of so many operations. */
  public double ns(Operation operation, long count) {
    return count * switch (operation) {
      case FLOATING -> floatingNs;
      case ROOT -> rootNs;
      case INTEGER -> integerNs;
    };
  }
}
