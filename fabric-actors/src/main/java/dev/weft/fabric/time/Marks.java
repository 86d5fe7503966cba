package dev.weft.fabric.time;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Coverage marks of a simulation: how often branches were taken that are there for trouble. Code says {@code Marks.hit(mark)} where such
 * a branch begins; it costs a look at a scoped value, and counts only inside {@link #during}. One thread.
 */
public final class Marks {
  private static final ScopedValue<Marks> CURRENT = ScopedValue.newInstance();

  private final Map<String, Long> counts = new TreeMap<>();

  /** A branch was taken. Any thread; outside a simulation nothing happens. */
  public static void hit(Enum<?> mark) {
    if (CURRENT.isBound()) {
      CURRENT.get().counts.merge(mark.name(), 1L, Long::sum);
    }
  }

  /** Runs something whose marks count here. */
  public void during(Runnable run) {
    ScopedValue.where(CURRENT, this).run(run);
  }

  /** How often each mark was hit that was hit at all, by name. */
  public Map<String, Long> counts() {
    return Collections.unmodifiableMap(counts);
  }
}
