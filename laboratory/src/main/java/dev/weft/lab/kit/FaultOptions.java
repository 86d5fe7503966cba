package dev.weft.lab.kit;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Options with classes of faults that may occur. {@link #parsed} reads what {@link #fixed} writes.
 *
 * @param <O> the type itself
 */
public interface FaultOptions<O extends FaultOptions<O>> extends RunOptions<O> {
  /** Option with the classes of faults. */
  String FAULTS = "--faults";
  /** Option with the maximum operations. */
  String OPS = "--ops";

  /** Classes of faults that may occur; the seed decides whether they do. */
  Set<FaultClass> faults();

  /**
   * Parses the facts that the seed does not decide; nothing of this object matters.
   *
   * @throws IllegalArgumentException if a value is invalid; says what is valid
   */
  O parsed(Given given);

  /** These facts, except for one option, which gets a value as on the command line. */
  default O with(String option, Object value) {
    Map<String, String> values = new LinkedHashMap<>(fixed());
    values.put(option, value.toString());
    return parsed(new Given(values));
  }

  /** These facts with other classes of faults. */
  default O withFaults(Set<FaultClass> allowed) {
    return with(FAULTS, FaultClass.describe(allowed));
  }
}
