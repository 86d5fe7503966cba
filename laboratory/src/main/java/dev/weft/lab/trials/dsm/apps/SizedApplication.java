package dev.weft.lab.trials.dsm.apps;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An application with a table of sizes. */
abstract class SizedApplication<S extends Record> implements Application {
  private final String name;
  private final String title;
  private final Map<String, S> sizes = new LinkedHashMap<>();

  SizedApplication(String name, String title) {
    this.name = name;
    this.title = title;
  }

  /** Adds a size; called by the constructor. The first size is the default. */
  final void size(String sizeName, S size) {
    sizes.put(sizeName, size);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String title() {
    return title;
  }

  @Override
  public final List<String> sizes() {
    return List.copyOf(sizes.keySet());
  }

  @Override
  public final Work work(Worker worker, String size) {
    S found = sizes.get(size);
    if (found == null) {
      throw new IllegalArgumentException(name + " has no size '" + size + "', must be one of " + sizes.keySet());
    }
    return work(worker, found);
  }

  /** Makes this worker's part for a size. */
  abstract Work work(Worker worker, S size);
}
