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
 * The facts that the seed does not decide.
 *
 * @param faults classes of faults that may occur; the seed decides whether they do
 * @param opsMax maximum operations of each program, 1 to {@value #OPS_MAX}
 * @param daemonsMax maximum number of I/O daemons, 1 to {@value #DAEMONS_MAX}
 * @param clientsMax maximum number of clients, 1 to {@value #CLIENTS_MAX}
 * @param threadsMax maximum number of programs of a client, 1 to {@value #THREADS_MAX}
 */
record PvfsOptions(Set<FaultClass> faults, int opsMax, int daemonsMax, int clientsMax, int threadsMax) implements FaultOptions<PvfsOptions> {
  static final int OPS_MAX = 24;
  static final int DAEMONS_MAX = 4;
  static final int CLIENTS_MAX = 3;
  static final int THREADS_MAX = 2;

  /** The possible faults of a file system. */
  static final Set<FaultClass> KNOWN = Collections.unmodifiableSet(EnumSet.allOf(FaultClass.class));

  private static final String DAEMONS = "--daemons";
  private static final String CLIENTS = "--clients";
  private static final String THREADS = "--threads";

  static final List<Parameter> PARAMETERS = List.of(
      Parameter.of(FAULTS, "LIST", "as for the pager, and disk: that of the manager or of a daemon is full, fails, or stands still"),
      Parameter.of(OPS, "N", "most operations of each program, at most " + OPS_MAX),
      Parameter.of(DAEMONS, "N", "most I/O daemons, at most " + DAEMONS_MAX),
      Parameter.of(CLIENTS, "N", "most clients, at most " + CLIENTS_MAX),
      Parameter.of(THREADS, "N", "most programs of a client, at most " + THREADS_MAX));

  /** The seed decides everything. */
  static final PvfsOptions SWARM = new PvfsOptions(KNOWN, OPS_MAX, DAEMONS_MAX, CLIENTS_MAX, THREADS_MAX);

  PvfsOptions {
    RunOptions.check(OPS, opsMax, OPS_MAX);
    RunOptions.check(DAEMONS, daemonsMax, DAEMONS_MAX);
    RunOptions.check(CLIENTS, clientsMax, CLIENTS_MAX);
    RunOptions.check(THREADS, threadsMax, THREADS_MAX);
    faults = RunOptions.checked(FAULTS, faults, KNOWN);
  }

  @Override
  public PvfsOptions parsed(Given given) {
    return new PvfsOptions(given.faults(FAULTS, KNOWN), given.integer(OPS, OPS_MAX), given.integer(DAEMONS, DAEMONS_MAX),
        given.integer(CLIENTS, CLIENTS_MAX), given.integer(THREADS, THREADS_MAX));
  }

  @Override
  public Map<String, String> fixed() {
    Map<String, String> fixed = new LinkedHashMap<>();
    RunOptions.fix(FAULTS, faults, KNOWN, fixed);
    RunOptions.fix(OPS, opsMax, OPS_MAX, fixed);
    RunOptions.fix(DAEMONS, daemonsMax, DAEMONS_MAX, fixed);
    RunOptions.fix(CLIENTS, clientsMax, CLIENTS_MAX, fixed);
    RunOptions.fix(THREADS, threadsMax, THREADS_MAX, fixed);
    return fixed;
  }

  /** Fewer classes of faults, fewer programs, clients and daemons, fewer operations. */
  @Override
  public List<Cut<PvfsOptions>> cuts() {
    List<Cut<PvfsOptions>> cuts = new ArrayList<>();
    cuts.addAll(Cut.ofFaults(KNOWN, PvfsOptions::faults, PvfsOptions::withFaults));
    cuts.addAll(Cut.ofCount(THREADS_MAX, PvfsOptions::threadsMax, (o, max) -> o.with(THREADS, max)));
    cuts.addAll(Cut.ofCount(CLIENTS_MAX, PvfsOptions::clientsMax, (o, max) -> o.with(CLIENTS, max)));
    cuts.addAll(Cut.ofCount(DAEMONS_MAX, PvfsOptions::daemonsMax, (o, max) -> o.with(DAEMONS, max)));
    cuts.addAll(Cut.ofOps(PvfsOptions::opsMax, (o, max) -> o.with(OPS, max)));
    return cuts;
  }
}
