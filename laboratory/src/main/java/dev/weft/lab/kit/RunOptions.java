package dev.weft.lab.kit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The facts of a run that the seed does not decide. Immutable; equal if they fix the same facts. Fixing one fact leaves all others as the seed drew
 * them, so that a failing run can be shrunk.
 *
 * @param <O> the type itself
 */
public interface RunOptions<O extends RunOptions<O>> {
  /**
   * A way to make a run smaller.
   *
   * @param of returns smaller options than the given ones, or null if that is impossible
   * @param repeats whether to try it again after a success
   */
  record Cut<O>(UnaryOperator<O> of, boolean repeats) {
    public static <O> Cut<O> once(UnaryOperator<O> of) {
      return new Cut<>(of, false);
    }

    public static <O> Cut<O> repeated(UnaryOperator<O> of) {
      return new Cut<>(of, true);
    }

    /** First no faults, then the {@code known} classes removed one by one. */
    public static <O> List<Cut<O>> ofFaults(Set<FaultClass> known, Function<O, Set<FaultClass>> faults, BiFunction<O, Set<FaultClass>, O> with) {
      List<Cut<O>> cuts = new ArrayList<>();
      cuts.add(once(o -> with.apply(o, EnumSet.noneOf(FaultClass.class))));
      for (FaultClass kind : known) {
        cuts.add(once(o -> {
          if (!faults.apply(o).contains(kind)) {
            return null;
          }
          Set<FaultClass> fewer = EnumSet.copyOf(faults.apply(o));
          fewer.remove(kind);
          return with.apply(o, fewer);
        }));
      }
      return cuts;
    }

    /** At most 1, then 2, and so on, where there may be more; {@code max} is the upper limit. */
    public static <O> List<Cut<O>> ofCount(int max, ToIntFunction<O> count, BiFunction<O, Integer, O> with) {
      List<Cut<O>> cuts = new ArrayList<>();
      for (int i = 1; i < max; i++) {
        int most = i;
        cuts.add(once(o -> most < count.applyAsInt(o) ? with.apply(o, most) : null));
      }
      return cuts;
    }

    /** Half as many operations, repeatedly; then three quarters. */
    public static <O> List<Cut<O>> ofOps(ToIntFunction<O> ops, BiFunction<O, Integer, O> with) {
      return List.of(repeated(o -> ops.applyAsInt(o) > 1 ? with.apply(o, ops.applyAsInt(o) / 2) : null),
          once(o -> with.apply(o, Math.max(1, ops.applyAsInt(o) * 3 / 4))));
    }
  }

  /** Fixed facts, by name of the {@link Parameter}, in the order of a command line; empty if the seed decides everything. */
  Map<String, String> fixed();

  /**
   * Checks that a number is 1 to {@code max}.
   *
   * @throws IllegalArgumentException if it is not; names the option
   */
  static void check(String option, int value, int max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(option + " is " + value + ", must be 1 to " + max);
    }
  }

  /**
   * An unmodifiable copy of {@code faults}.
   *
   * @throws IllegalArgumentException if one of them is not {@code known}; names the option
   */
  static Set<FaultClass> checked(String option, Set<FaultClass> faults, Set<FaultClass> known) {
    if (!known.containsAll(faults)) {
      throw new IllegalArgumentException(option + " has " + FaultClass.describe(faults) + ", must be of " + FaultClass.describe(known));
    }
    return Collections.unmodifiableSet(faults.isEmpty() ? EnumSet.noneOf(FaultClass.class) : EnumSet.copyOf(faults));
  }

  /** Adds a number if it is not the default. */
  static void fix(String name, int value, int otherwise, Map<String, String> fixed) {
    if (value != otherwise) {
      fixed.put(name, Integer.toString(value));
    }
  }

  /** Adds classes of faults if they are not all {@code known} ones. */
  static void fix(String name, Set<FaultClass> faults, Set<FaultClass> known, Map<String, String> fixed) {
    if (!faults.equals(known)) {
      fixed.put(name, FaultClass.describe(faults));
    }
  }

  /** Cuts, in the order in which they are tried. */
  List<Cut<O>> cuts();

  /** The options of {@code weft sim} for these facts, each with a leading space. */
  default String toArguments() {
    return fixed().entrySet().stream().map(e -> " " + e.getKey() + " " + e.getValue()).collect(Collectors.joining());
  }
}
