package dev.weft.lab.sim.pvfs;

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
 * The facts of a run with appends that the seed does not decide.
 *
 * @param faults classes of faults that may occur; the seed decides whether they do
 * @param opsMax maximum appends of each client, 1 to {@value #OPS_MAX}
 * @param daemonsMax maximum number of I/O daemons, 1 to {@value #DAEMONS_MAX}
 * @param clientsMax maximum number of clients, 1 to {@value #CLIENTS_MAX}
 * @param stopsAnyTime whether a client may stop before its HCA is at rest: see {@link Suspension}
 */
record AppendOptions(Set<FaultClass> faults, int opsMax, int daemonsMax, int clientsMax, boolean stopsAnyTime) implements FaultOptions<AppendOptions> {
  static final int OPS_MAX = 30;
  static final int DAEMONS_MAX = 3;
  static final int CLIENTS_MAX = 4;

  /** No crashes: a client's appends are checked when it has ended, and stripes are in the memory of daemons. */
  static final Set<FaultClass> KNOWN = Collections.unmodifiableSet(
      EnumSet.complementOf(EnumSet.of(FaultClass.SERVER_CRASH, FaultClass.CLIENT_CRASH, FaultClass.SLOW_SERVER, FaultClass.DISK)));

  private static final String DAEMONS = "--daemons";
  private static final String CLIENTS = "--clients";
  private static final String STOP_ANY_TIME = "--stop-any-time";

  static final List<Parameter> PARAMETERS = List.of(
      Parameter.of(FAULTS, "LIST", "classes that may happen, with commas: all, none, " + FaultClass.describe(KNOWN).replace(",", ", ") + " (default: all)"),
      Parameter.of(OPS, "N", "most appends of each client, at most " + OPS_MAX),
      Parameter.of(DAEMONS, "N", "most I/O daemons, at most " + DAEMONS_MAX),
      Parameter.of(CLIENTS, "N", "most clients, at most " + CLIENTS_MAX),
      Parameter.of(STOP_ANY_TIME, "B", "true: a client may stop while requests of its HCA are not acknowledged, so that a late append comes over others"
          + " (default: false)"));

  /** The seed decides everything. */
  static final AppendOptions SWARM = new AppendOptions(KNOWN, OPS_MAX, DAEMONS_MAX, CLIENTS_MAX, false);

  AppendOptions {
    RunOptions.check(OPS, opsMax, OPS_MAX);
    RunOptions.check(DAEMONS, daemonsMax, DAEMONS_MAX);
    RunOptions.check(CLIENTS, clientsMax, CLIENTS_MAX);
    faults = RunOptions.checked(FAULTS, faults, KNOWN);
  }

  @Override
  public AppendOptions parsed(Given given) {
    return new AppendOptions(given.faults(FAULTS, KNOWN), given.integer(OPS, OPS_MAX), given.integer(DAEMONS, DAEMONS_MAX),
        given.integer(CLIENTS, CLIENTS_MAX), Boolean.TRUE.equals(given.truth(STOP_ANY_TIME)));
  }

  @Override
  public Map<String, String> fixed() {
    Map<String, String> fixed = new LinkedHashMap<>();
    RunOptions.fix(FAULTS, faults, KNOWN, fixed);
    RunOptions.fix(OPS, opsMax, OPS_MAX, fixed);
    RunOptions.fix(DAEMONS, daemonsMax, DAEMONS_MAX, fixed);
    RunOptions.fix(CLIENTS, clientsMax, CLIENTS_MAX, fixed);
    if (stopsAnyTime) {
      fixed.put(STOP_ANY_TIME, "true");
    }
    return fixed;
  }

  /** Fewer classes of faults, fewer clients and daemons, fewer appends. */
  @Override
  public List<Cut<AppendOptions>> cuts() {
    List<Cut<AppendOptions>> cuts = new ArrayList<>();
    cuts.addAll(Cut.ofFaults(KNOWN, AppendOptions::faults, AppendOptions::withFaults));
    cuts.addAll(Cut.ofCount(CLIENTS_MAX, AppendOptions::clientsMax, (o, max) -> o.with(CLIENTS, max)));
    cuts.addAll(Cut.ofCount(DAEMONS_MAX, AppendOptions::daemonsMax, (o, max) -> o.with(DAEMONS, max)));
    cuts.addAll(Cut.ofOps(AppendOptions::opsMax, (o, max) -> o.with(OPS, max)));
    return cuts;
  }
}
