package dev.weft.lab.sim.dsm;

import dev.weft.dsm.settings.Engine;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.FaultOptions;
import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Parameter;
import dev.weft.lab.kit.RunOptions;
import dev.weft.lab.trials.dsm.litmus.LitmusShape;
import dev.weft.lab.trials.dsm.litmus.LitmusShapes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The facts of a litmus run that the seed does not decide.
 *
 * @param faults classes of faults that may occur; the seed decides whether they do
 * @param rounds instances of the shape, 1 to {@value #ROUNDS_MAX}
 * @param engine engine of shared memory
 * @param shape name of the shape; null if the seed draws it
 */
record LitmusOptions(Set<FaultClass> faults, int rounds, Engine engine, String shape) implements FaultOptions<LitmusOptions> {
  static final int ROUNDS_MAX = 100_000;
  static final int ROUNDS = 500;

  /** No crashes: a shape has an outcome only if all its threads end. */
  static final Set<FaultClass> KNOWN;

  private static final EnumSet<FaultClass> UNKNOWN =
      EnumSet.of(FaultClass.CONNECTION_LOSS, FaultClass.SERVER_RESTART, FaultClass.SERVER_CRASH, FaultClass.CLIENT_CRASH);

  static {
    Set<FaultClass> known = EnumSet.complementOf(UNKNOWN);
    known.remove(FaultClass.DISK); // No node has a disk.
    KNOWN = Collections.unmodifiableSet(known);
  }

  private static final String ROUNDS_OPTION = "--rounds";
  private static final String ENGINE = "--engine";
  private static final String SHAPE = "--shape";

  static final List<Parameter> PARAMETERS = List.of(
      Parameter.of(FAULTS, "LIST", "as for the pager, without " + FaultClass.describe(UNKNOWN).replace(",", ", ")),
      Parameter.of(ROUNDS_OPTION, "N", "instances of the shape, at most " + ROUNDS_MAX + " (default: " + ROUNDS + ")"),
      Parameter.of(ENGINE, "E", "request or synchronous (default: request)"),
      Parameter.of(SHAPE, "NAME", "a shape of weft dsm litmus, such as IRIW (default: the seed draws one)"));

  /** The seed decides everything. */
  static final LitmusOptions SWARM = new LitmusOptions(KNOWN, ROUNDS, Engine.REQUEST, null);

  LitmusOptions {
    RunOptions.check(ROUNDS_OPTION, rounds, ROUNDS_MAX);
    faults = RunOptions.checked(FAULTS, faults, KNOWN);
    shape = shape == null ? null : LitmusShapes.named(shape).name();
  }

  @Override
  public LitmusOptions parsed(Given given) {
    return new LitmusOptions(given.faults(FAULTS, KNOWN), given.integer(ROUNDS_OPTION, ROUNDS),
        given.text(ENGINE) == null ? Engine.REQUEST : Engine.of(ENGINE, given.text(ENGINE)), given.text(SHAPE));
  }

  /** The shapes that may be drawn. */
  List<LitmusShape> shapes() {
    return shape == null ? LitmusShapes.all() : List.of(LitmusShapes.named(shape));
  }

  @Override
  public Map<String, String> fixed() {
    Map<String, String> fixed = new LinkedHashMap<>();
    RunOptions.fix(FAULTS, faults, KNOWN, fixed);
    RunOptions.fix(ROUNDS_OPTION, rounds, ROUNDS, fixed);
    if (engine != Engine.REQUEST) {
      fixed.put(ENGINE, engine.configName());
    }
    if (shape != null) {
      fixed.put(SHAPE, shape);
    }
    return fixed;
  }

  /** Fewer classes of faults, fewer rounds. */
  @Override
  public List<Cut<LitmusOptions>> cuts() {
    List<Cut<LitmusOptions>> cuts = new ArrayList<>();
    cuts.addAll(Cut.ofFaults(KNOWN, LitmusOptions::faults, LitmusOptions::withFaults));
    cuts.add(Cut.repeated(o -> o.rounds > 1 ? o.with(ROUNDS_OPTION, o.rounds / 2) : null));
    return cuts;
  }
}
