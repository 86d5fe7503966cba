package dev.weft.lab.hosts;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigResolveOptions;
import dev.weft.lab.figures.Calibration;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the model of a machine costs: numbers by path, each with its source. Read from {@code swap/NAME.conf}; a source that
 * names rows of {@code figures.csv} is compared with them, and only calibrate rows may be named. What the hardware profile of the
 * same name has too is read from it.
 */
public final class SwapProfile {
  private static final double MB = 1 << 20;
  private static final double NS_PER_US = 1e3;

  private final String name;
  private final Map<String, Double> values;
  private final HardwareProfile hardware;

  private SwapProfile(String name, Map<String, Double> values, HardwareProfile hardware) {
    this.name = name;
    this.values = values;
    this.hardware = hardware;
  }

  /**
   * Reads a profile that ships.
   *
   * @throws IllegalArgumentException if there is none of that name, a number has no source, or differs from the row it names
   */
  public static SwapProfile load(String name, Calibration calibration) {
    Config config;
    try {
      config = ConfigFactory.parseResources(SwapProfile.class.getClassLoader(), "swap/" + name + ".conf",
          com.typesafe.config.ConfigParseOptions.defaults().setAllowMissing(false)).resolve(ConfigResolveOptions.noSystem());
    } catch (ConfigException.IO missing) {
      throw new IllegalArgumentException("there is no swapping profile '" + name + "'; there is ib-2005-xeon", missing);
    }
    return parse(config, calibration, HardwareProfile.load(config.getString("name")));
  }

  static SwapProfile parse(Config config, Calibration calibration, HardwareProfile hardware) {
    Map<String, Double> values = new TreeMap<>();
    for (String section : new TreeMap<>(config.root()).keySet()) {
      if (section.equals("name")) {
        continue;
      }
      Config part = config.getConfig(section);
      for (String key : new TreeMap<>(part.root()).keySet()) {
        String path = section + "." + key;
        double value = part.hasPath(key + ".hardware")
            ? hardware(path, part.getString(key + ".hardware"), hardware) : part.getDouble(key + ".value");
        if (!(value >= 0) || !Double.isFinite(value)) {
          throw new IllegalArgumentException(path + " is " + value + ", must be 0 or more");
        }
        checkSource(path, value, part.getString(key + ".source"), calibration);
        values.put(path, value);
      }
    }
    return new SwapProfile(config.getString("name"), values, hardware);
  }

  /** A number of the hardware profile, in this file's units: MB/s, us. */
  private static double hardware(String path, String theirs, HardwareProfile profile) {
    return switch (theirs) {
      case "cpu.interrupt" -> profile.cpu().interruptNs() / NS_PER_US;
      case "cpu.scheduling" -> profile.cpu().schedulingNs() / NS_PER_US;
      case "memory.copy-bandwidth" -> profile.memory().copyBytesPerSecond() / MB;
      case "memory.page-fault" -> profile.memory().pageFaultNs() / NS_PER_US;
      case "memory.register" -> profile.memory().registerNs() / NS_PER_US;
      case "memory.register-page" -> profile.memory().registerPageNs() / NS_PER_US;
      case "memory.deregister" -> profile.memory().deregisterNs() / NS_PER_US;
      case "memory.deregister-page" -> profile.memory().deregisterPageNs() / NS_PER_US;
      default -> throw new IllegalArgumentException(path + " names " + theirs + " of the hardware profile, which is not known here");
    };
  }

  private static void checkSource(String path, double value, String source, Calibration calibration) {
    if (source.isBlank()) {
      throw new IllegalArgumentException(path + " has no source");
    }
    if (!source.startsWith("row ") && !source.startsWith("rows ")) {
      return;
    }
    double sum = 0;
    for (String id : source.substring(source.indexOf(' ')).split("\\+")) {
      sum += calibration.value(id.strip());
    }
    if (Math.abs(sum - value) > 1e-9 * Math.max(1, sum)) {
      throw new IllegalArgumentException(path + " is " + value + ", but its source '" + source + "' says " + sum);
    }
  }

  public String name() {
    return name;
  }

  /** A number in the unit that the file states. */
  public double value(String path) {
    Double value = values.get(path);
    if (value == null) {
      throw new IllegalArgumentException("profile " + name + " has no " + path);
    }
    return value;
  }

  /** A count. */
  public int count(String path) {
    return (int) value(path);
  }

  /** A number of microseconds, in nanoseconds. */
  public long us(String path) {
    return Math.round(value(path) * 1_000);
  }

  /** Nanoseconds that {@code bytes} take at a rate given in MB/s. */
  public long transferNs(String path, long bytes) {
    return Math.round(bytes * 1e9 / (value(path) * MB));
  }

  /** A rate given in MB/s, in bytes per second. */
  public long bytesPerSecond(String path) {
    return Math.round(value(path) * MB);
  }

  /** A profile with other numbers at some paths: what would be if. */
  public SwapProfile with(Map<String, Double> others) {
    Map<String, Double> changed = new TreeMap<>(values);
    others.forEach((path, value) -> {
      value(path);
      changed.put(path, value);
    });
    return new SwapProfile(name, changed, hardware);
  }

  /** The hardware under it: adapters, links, the switch and the TCP stacks are charged by what is in there. */
  public HardwareProfile hardware() {
    return hardware;
  }

  /** The same over other hardware: what would be if. */
  public SwapProfile over(HardwareProfile other) {
    return new SwapProfile(name, values, other);
  }
}
