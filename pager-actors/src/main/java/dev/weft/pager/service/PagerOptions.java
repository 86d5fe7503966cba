package dev.weft.pager.service;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.pager.server.ServerSettings;
import dev.weft.service.CommandFailure;
import dev.weft.service.IdleOptions;
import dev.weft.service.Launch;
import dev.weft.service.SizeConverter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of commands that run or use memory servers. Without an option, the setting of that name applies. */
final class PagerOptions {
  @Option(names = "--registration", paramLabel = "STRATEGY",
      description = "static: memory is pinned; unpinned: servers lend virtual memory, of which --resident is in memory.")
  private String registration;

  @Option(names = "--resident", paramLabel = "SIZE", converter = SizeConverter.class,
      description = "With unpinned: physical memory of each server (default: 64M).")
  private Long resident;

  @Option(names = "--notification", paramLabel = "HOW",
      description = "events: completion events announce requests and replies; tripwire: Tripwires of a CLAN NIC announce them.")
  private String notification;

  /** Returns the configuration, overridden by the options. */
  Config applyTo(Config config) {
    check("--registration", registration, "static", "unpinned");
    check("--notification", notification, "events", "tripwire");
    Config all = config;
    for (String side : new String[] {"server", "client"}) {
      all = with(all, side, "registration", registration);
      all = with(all, side, "notification", notification);
    }
    return with(all, "server", "resident-memory", resident);
  }

  private static void check(String option, String value, String one, String other) {
    if (value != null && !value.equals(one) && !value.equals(other)) {
      throw new IllegalArgumentException(option + " is " + value + ", must be " + one + " or " + other);
    }
  }

  /** Rejects servers that cannot lend {@code memoryBytes}, or that would keep more than that in memory. */
  void check(long memoryBytes, Launch launch) {
    CommandLine line = launch.spec().commandLine();
    if (memoryBytes < 1 << 20 || memoryBytes % 4096 != 0) {
      throw new ParameterException(line, "--memory is " + SizeConverter.text(memoryBytes) + ", must be a multiple of 4096 and at least 1M");
    }
    if (!launch.config().getString("weft.pager.server.registration").equals("unpinned")) {
      IdleOptions.refuse(launch.spec(), "on pinned memory, all of which is in memory; add --registration unpinned", "--resident");
    }
    if (resident != null && resident >= memoryBytes) {
      throw new ParameterException(line, "--resident is " + SizeConverter.text(resident) + ", must be smaller than --memory, which is "
          + SizeConverter.text(memoryBytes) + "; to keep all of it in memory, omit --registration unpinned");
    }
  }

  /** Returns the physical memory of a server that lends {@code memoryBytes}. */
  static long physicalBytes(long memoryBytes, Config config) {
    try {
      return MachineMemory.ofServer(memoryBytes, ServerSettings.from(config));
    } catch (IllegalArgumentException wrong) {
      throw new CommandFailure(wrong.getMessage(), wrong); // The message names the wrong setting.
    }
  }

  private static Config with(Config config, String side, String key, Object value) {
    return value == null ? config : config.withValue("weft.pager." + side + "." + key, ConfigValueFactory.fromAnyRef(value));
  }

  /** Returns these options as arguments for another JVM. */
  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    add(arguments, "--registration", registration);
    add(arguments, "--resident", resident);
    add(arguments, "--notification", notification);
    return arguments;
  }

  private static void add(List<String> arguments, String option, Object value) {
    if (value != null) {
      arguments.add(option + "=" + value);
    }
  }
}
