package dev.weft.service;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** What is on the class path. Any thread. */
public final class Services {
  private static final String NAME = "[a-z][a-z0-9-]{0,31}";

  private Services() {}

  /**
   * All services, by name.
   *
   * @throws IllegalStateException if two have the same name, or one has a name that cannot be
   */
  public static List<Service> all() {
    Map<String, Service> byName = new TreeMap<>();
    for (Service service : ServiceLoader.load(Service.class)) {
      if (!service.name().matches(NAME)) {
        throw new IllegalStateException("service \"" + service.name() + "\" of " + service.getClass().getName()
            + " must have a name of 1 to 32 lower-case letters, digits and dashes that starts with a letter");
      }
      Service other = byName.put(service.name(), service);
      if (other != null) {
        throw new IllegalStateException("two services are named " + service.name() + ": " + other.getClass().getName() + " and "
            + service.getClass().getName() + "; one of their jars has to leave the class path");
      }
    }
    return List.copyOf(byName.values());
  }

  /** New objects of the subcommands that services bring, and then of those that other jars bring. */
  public static List<Object> commands() {
    List<Object> commands = new ArrayList<>();
    all().forEach(service -> commands.addAll(service.commands()));
    ServiceLoader.load(CommandProvider.class).stream().map(ServiceLoader.Provider::get)
        .sorted(Comparator.comparing(provider -> provider.getClass().getName())).forEach(provider -> commands.addAll(provider.commands()));
    return commands;
  }
}
