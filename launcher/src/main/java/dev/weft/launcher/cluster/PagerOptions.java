package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of the commands that carry memory servers or use them; without one, the setting of that name counts. */
final class PagerOptions {
  @Option(names = "--registration", paramLabel = "STRATEGY",
      description = "static: memory is pinned; unpinned: servers lend virtual memory, of which --resident is in memory.")
  private String registration;

  @Option(names = "--resident", paramLabel = "SIZE", converter = SizeConverter.class,
      description = "With unpinned: physical memory of each server (default: 64M).")
  private Long resident;

  @Option(names = "--notification", paramLabel = "HOW",
      description = "events: requests and replies are told of by completion events; tripwire: by Tripwires of a CLAN NIC.")
  private String notification;

  /** The configuration with what was asked for. */
  Config applyTo(Config config) {
    Config all = config;
    for (String side : new String[] {"server", "client"}) {
      all = with(all, side, "registration", registration);
      all = with(all, side, "notification", notification);
    }
    return with(all, "server", "resident-memory", resident);
  }

  private static Config with(Config config, String side, String key, Object value) {
    return value == null ? config : config.withValue("weft.pager." + side + "." + key, ConfigValueFactory.fromAnyRef(value));
  }

  /** The same options for another JVM. */
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
