package dev.weft.service;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;

/** The services and commands on the class path. Any thread. */
public final class Services {
  /** The keys of a JVM in {@code weft status --json}, beside its services; no service may have such a name. */
  private static final Set<String> OF_A_JVM = Set.of("url", "reachable", "problem", "status", "trunks");
  private static final String NAME = "[a-z][a-z0-9-]{0,31}";

  /** Null until the first successful load. The class path does not change, so one load is enough. */
  private static volatile List<Service> found;

  private Services() {}

  /**
   * All services in the order of their names, except that each follows the services that it needs.
   *
   * @throws IllegalStateException if two services have the same name, a name is invalid, or services need each other
   */
  public static List<Service> all() {
    List<Service> known = found;
    if (known == null) {
      known = load();
      found = known;
    }
    return known;
  }

  private static List<Service> load() {
    Map<String, Service> byName = new TreeMap<>();
    for (Service service : ServiceLoader.load(Service.class)) {
      if (!service.name().matches(NAME)) {
        throw new IllegalStateException("service \"" + service.name() + "\" of " + service.getClass().getName()
            + " must have a name of 1 to 32 lower-case letters, digits and dashes that starts with a letter");
      }
      if (OF_A_JVM.contains(service.name())) {
        throw new IllegalStateException("service \"" + service.name() + "\" of " + service.getClass().getName() + " must not be named like one of "
            + OF_A_JVM.stream().sorted().toList());
      }
      Service other = byName.put(service.name(), service);
      if (other != null) {
        throw new IllegalStateException("two services are named " + service.name() + ": " + other.getClass().getName() + " and "
            + service.getClass().getName() + "; remove one of their jars from the class path");
      }
    }
    List<Service> ordered = new ArrayList<>();
    byName.values().forEach(service -> add(service, byName, ordered, new ArrayList<>()));
    return List.copyOf(ordered);
  }

  private static void add(Service service, Map<String, Service> byName, List<Service> ordered, List<String> way) {
    if (ordered.contains(service)) {
      return;
    }
    if (way.contains(service.name())) {
      throw new IllegalStateException("services need each other: " + String.join(" needs ", way) + " needs " + service.name());
    }
    way.add(service.name());
    for (String needed : service.needs()) {
      if (byName.containsKey(needed)) {
        add(byName.get(needed), byName, ordered, way);
      }
    }
    way.removeLast();
    ordered.add(service);
  }

  /**
   * Returns the service of that name.
   *
   * @throws CommandFailure if its jar is not on the class path
   */
  public static Service named(String name) {
    return all().stream().filter(service -> service.name().equals(name)).findFirst()
        .orElseThrow(() -> new CommandFailure("there is no service " + name + ": its jar is not on the class path"));
  }

  /** Creates the subcommands of the services, followed by those of other jars. */
  public static List<Object> commands() {
    return providers().stream().flatMap(provider -> provider.commands().stream()).toList();
  }

  /** Creates what the services, and then other jars, add to one of {@code weft}'s subcommands. */
  public static List<Object> commandsBelow(String command) {
    return providers().stream().flatMap(provider -> provider.commandsBelow(command).stream()).toList();
  }

  private static List<CommandProvider> providers() {
    List<CommandProvider> providers = new ArrayList<>(all());
    ServiceLoader.load(CommandProvider.class).stream().map(ServiceLoader.Provider::get)
        .sorted(Comparator.comparing(provider -> provider.getClass().getName())).forEach(providers::add);
    return providers;
  }
}
