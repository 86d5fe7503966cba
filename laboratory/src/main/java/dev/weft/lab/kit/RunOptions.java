package dev.weft.lab.kit;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * What is not left to the seed. Immutable; equal if they fix the same. Each fact that is fixed leaves all others as the seed drew them, so
 * that a failing run can be cut down.
 *
 * @param <O> the type itself
 */
public interface RunOptions<O extends RunOptions<O>> {
  /**
   * A way to make a run smaller.
   *
   * @param of answers smaller options than it is given, or null if it cannot
   * @param repeats whether it is tried again where it has helped
   */
  record Cut<O>(UnaryOperator<O> of, boolean repeats) {
    public static <O> Cut<O> once(UnaryOperator<O> of) {
      return new Cut<>(of, false);
    }

    public static <O> Cut<O> repeated(UnaryOperator<O> of) {
      return new Cut<>(of, true);
    }
  }

  /** What is fixed, by name of the {@link Parameter}, in the order of a command line; empty where the seed decides everything. */
  Map<String, String> fixed();

  /** In the order in which they are tried. */
  List<Cut<O>> cuts();

  /** The options of {@code weft sim} that give these, each with a leading space. */
  default String toArguments() {
    return fixed().entrySet().stream().map(e -> " " + e.getKey() + " " + e.getValue()).collect(Collectors.joining());
  }
}
