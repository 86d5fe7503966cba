package dev.weft.fabric.time;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Coverage marks of a simulation: they count how often the run took branches that handle faults. Code calls {@code Marks.hit(mark)} where such
 * a branch begins. The call costs one read of a scoped value and counts only inside {@link #during}. One thread.
 */
public final class Marks {
  private static final ScopedValue<Marks> CURRENT = ScopedValue.newInstance();

  private final Map<String, Long> counts = new TreeMap<>();

  /** Counts a branch that was taken. Any thread; outside of {@link #during}, this has no effect. */
  public static void hit(Enum<?> mark) {
    if (CURRENT.isBound()) {
      CURRENT.get().counts.merge(mark.name(), 1L, Long::sum);
    }
  }

  /** Runs code and counts its marks here. */
  public void during(Runnable run) {
    ScopedValue.where(CURRENT, this).run(run);
  }

  /** Returns the count of each mark that was hit, by name. */
  public Map<String, Long> counts() {
    return Collections.unmodifiableMap(counts);
  }
}
