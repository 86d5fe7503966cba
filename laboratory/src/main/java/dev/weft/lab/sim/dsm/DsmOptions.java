package dev.weft.lab.sim.dsm;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.settings.Engine;
import dev.weft.dsm.wire.HomePlacement;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.FaultOptions;
import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Parameter;
import dev.weft.lab.kit.RunOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The facts that the seed does not decide.
 *
 * @param faults classes of faults that may occur; the seed decides whether they do
 * @param opsMax maximum operations of each thread, 1 to {@value #OPS_MAX}
 * @param nodesMax maximum number of nodes, 1 to {@value #NODES_MAX}
 * @param threadsMax maximum number of threads of a node, 1 to {@value #THREADS_MAX}
 * @param engine engine of shared memory
 * @param home placement of homes; null if the seed selects fixed or centralized
 * @param consistency release if programs also use arrays with release consistency
 * @param perJvm nodes of a JVM, with consecutive numbers, which crash together, 1 to {@value #PER_JVM_MAX}
 */
record DsmOptions(Set<FaultClass> faults, int opsMax, int nodesMax, int threadsMax, Engine engine, Consistency consistency,
    HomePlacement home, int perJvm) implements FaultOptions<DsmOptions> {
  static final int OPS_MAX = 60;
  static final int NODES_MAX = 5;
  static final int THREADS_MAX = 3;
  static final int PER_JVM_MAX = 2;

  /** The possible faults of shared memory here. */
  static final Set<FaultClass> KNOWN;

  private static final EnumSet<FaultClass> UNKNOWN = EnumSet.of(FaultClass.CONNECTION_LOSS, FaultClass.SERVER_RESTART);

  static {
    Set<FaultClass> known = EnumSet.complementOf(UNKNOWN);
    known.remove(FaultClass.DISK); // No node has a disk.
    KNOWN = Collections.unmodifiableSet(known);
  }

  private static final String NODES = "--nodes";
  private static final String THREADS = "--threads";
  private static final String ENGINE = "--engine";
  private static final String CONSISTENCY = "--consistency";
  private static final String HOME = "--home";
  private static final String PER_JVM = "--per-jvm";

  static final List<Parameter> PARAMETERS = List.of(
      Parameter.of(FAULTS, "LIST", "as for the pager, without " + FaultClass.describe(UNKNOWN).replace(",", ", ")),
      Parameter.of(OPS, "N", "most operations of each thread, at most " + OPS_MAX),
      Parameter.of(NODES, "N", "most nodes, at most " + NODES_MAX),
      Parameter.of(THREADS, "N", "most threads of a node, at most " + THREADS_MAX),
      Parameter.of(ENGINE, "E", "request or synchronous (default: request)"),
      Parameter.of(CONSISTENCY, "C", "sequential, or release: programs use arrays with it, too (default: sequential)"),
      Parameter.of(HOME, "H", "fixed, centralized, or dynamic, at the last writer (default: fixed or centralized, as the seed says)"),
      Parameter.of(PER_JVM, "N", "nodes of a JVM, which crash together, at most " + PER_JVM_MAX + " (default: 1)"));

  /** The seed decides everything. */
  static final DsmOptions SWARM = new DsmOptions(KNOWN, OPS_MAX, NODES_MAX, THREADS_MAX, Engine.REQUEST);

  DsmOptions(Set<FaultClass> faults, int opsMax, int nodesMax, int threadsMax, Engine engine) {
    this(faults, opsMax, nodesMax, threadsMax, engine, Consistency.SEQUENTIAL, null, 1);
  }

  DsmOptions {
    RunOptions.check(OPS, opsMax, OPS_MAX);
    RunOptions.check(NODES, nodesMax, NODES_MAX);
    RunOptions.check(THREADS, threadsMax, THREADS_MAX);
    RunOptions.check(PER_JVM, perJvm, PER_JVM_MAX);
    if (home == HomePlacement.DYNAMIC && engine == Engine.SYNCHRONOUS) {
      throw new IllegalArgumentException("--home dynamic needs --engine request");
    }
    faults = RunOptions.checked(FAULTS, faults, KNOWN);
  }

  @Override
  public DsmOptions parsed(Given given) {
    return new DsmOptions(given.faults(FAULTS, KNOWN), given.integer(OPS, OPS_MAX),
        given.integer(NODES, NODES_MAX), given.integer(THREADS, THREADS_MAX),
        given.text(ENGINE) == null ? Engine.REQUEST : Engine.of(ENGINE, given.text(ENGINE)),
        given.text(CONSISTENCY) == null ? Consistency.SEQUENTIAL : Consistency.of(CONSISTENCY, given.text(CONSISTENCY)),
        given.text(HOME) == null ? null : HomePlacement.of(HOME, given.text(HOME)), given.integer(PER_JVM, 1));
  }

  @Override
  public Map<String, String> fixed() {
    Map<String, String> fixed = new LinkedHashMap<>();
    RunOptions.fix(FAULTS, faults, KNOWN, fixed);
    RunOptions.fix(OPS, opsMax, OPS_MAX, fixed);
    RunOptions.fix(NODES, nodesMax, NODES_MAX, fixed);
    RunOptions.fix(THREADS, threadsMax, THREADS_MAX, fixed);
    if (engine != Engine.REQUEST) {
      fixed.put(ENGINE, engine.configName());
    }
    if (consistency != Consistency.SEQUENTIAL) {
      fixed.put(CONSISTENCY, consistency.configName());
    }
    if (home != null) {
      fixed.put(HOME, home.configName());
    }
    RunOptions.fix(PER_JVM, perJvm, 1, fixed);
    return fixed;
  }

  /** Fewer classes of faults, fewer threads and nodes, fewer operations. */
  @Override
  public List<Cut<DsmOptions>> cuts() {
    List<Cut<DsmOptions>> cuts = new ArrayList<>();
    cuts.addAll(Cut.ofFaults(KNOWN, DsmOptions::faults, DsmOptions::withFaults));
    cuts.addAll(Cut.ofCount(PER_JVM_MAX, DsmOptions::perJvm, (o, max) -> o.with(PER_JVM, max)));
    cuts.addAll(Cut.ofCount(THREADS_MAX, DsmOptions::threadsMax, (o, max) -> o.with(THREADS, max)));
    cuts.addAll(Cut.ofCount(NODES_MAX, DsmOptions::nodesMax, (o, max) -> o.with(NODES, max)));
    cuts.addAll(Cut.ofOps(DsmOptions::opsMax, (o, max) -> o.with(OPS, max)));
    return cuts;
  }
}
