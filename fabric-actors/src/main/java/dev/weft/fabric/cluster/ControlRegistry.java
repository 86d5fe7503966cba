package dev.weft.fabric.cluster;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.BiConsumer;

/** The classes that may travel over the control plane, each with a fixed id. Filled once, then only read. */
public final class ControlRegistry {
  /** Lowest id of a module; the serializer itself uses the ids below. */
  static final int FIRST_MODULE_ID = 100;
  private static final int ID_MAX = 0xffff;

  private final Map<Integer, Class<?>> classById = new LinkedHashMap<>();
  private final Map<Class<?>, Integer> idByClass = new HashMap<>();

  ControlRegistry() {}

  /** Returns a registry with the classes of all providers on the class path. */
  static ControlRegistry load() {
    ControlRegistry registry = new ControlRegistry();
    for (ControlClasses provider : ServiceLoader.load(ControlClasses.class, ControlRegistry.class.getClassLoader())) {
      provider.register(registry);
    }
    return registry;
  }

  /**
   * Allows a class on the wire.
   *
   * @param id 100 to 65,535, the same in every JVM of a cluster
   * @throws IllegalArgumentException if the id or the class is taken or the id is out of range
   */
  public ControlRegistry add(int id, Class<?> type) {
    if (id < FIRST_MODULE_ID || id > ID_MAX) {
      throw new IllegalArgumentException("control class id " + id + " of " + type.getName() + " must be "
          + FIRST_MODULE_ID + " to " + ID_MAX);
    }
    Class<?> other = classById.putIfAbsent(id, type);
    if (other != null) {
      throw new IllegalArgumentException("control class id " + id + " of " + type.getName() + " is taken by "
          + other.getName());
    }
    Integer otherId = idByClass.putIfAbsent(type, id);
    if (otherId != null) {
      throw new IllegalArgumentException(type.getName() + " is registered twice, as " + otherId + " and " + id);
    }
    return this;
  }

  void forEach(BiConsumer<Integer, Class<?>> action) {
    classById.forEach(action);
  }
}
