package dev.weft.lab.sim.pager;

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
 * The facts that the seed does not decide. Fixing one fact leaves all others as the seed drew them, so that a failing run can be shrunk.
 *
 * @param faults classes of faults that may occur; the seed decides whether they do
 * @param opsMax maximum requests of each client, 1 to {@value #OPS_MAX}
 * @param serversMax maximum number of memory servers, 1 to {@value #SERVERS_MAX}
 * @param clientsMax maximum number of clients, 1 or {@value #CLIENTS_MAX}
 */
record ClusterOptions(Set<FaultClass> faults, int opsMax, int serversMax, int clientsMax) implements FaultOptions<ClusterOptions> {
  static final int OPS_MAX = 240;
  static final int SERVERS_MAX = 4;
  static final int CLIENTS_MAX = 2;

  /** The possible faults of a pager. */
  static final Set<FaultClass> KNOWN = Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(FaultClass.DISK)));

  private static final String SERVERS = "--servers";
  private static final String CLIENTS = "--clients";

  static final List<Parameter> PARAMETERS = List.of(
      Parameter.of(FAULTS, "LIST", "classes that may happen, with commas: all, none, "
          + FaultClass.describe(KNOWN).replace(",", ", ") + " (default: all)"),
      Parameter.of(OPS, "N", "most requests of each client, at most " + OPS_MAX),
      Parameter.of(SERVERS, "N", "most memory servers, at most " + SERVERS_MAX),
      Parameter.of(CLIENTS, "N", "most clients, at most " + CLIENTS_MAX));

  /** The seed decides everything. */
  static final ClusterOptions SWARM =
      new ClusterOptions(KNOWN, OPS_MAX, SERVERS_MAX, CLIENTS_MAX);

  public ClusterOptions {
    RunOptions.check(OPS, opsMax, OPS_MAX);
    RunOptions.check(SERVERS, serversMax, SERVERS_MAX);
    RunOptions.check(CLIENTS, clientsMax, CLIENTS_MAX);
    faults = RunOptions.checked(FAULTS, faults, KNOWN);
  }

  @Override
  public ClusterOptions parsed(Given given) {
    return new ClusterOptions(given.faults(FAULTS, KNOWN), given.integer(OPS, OPS_MAX),
        given.integer(SERVERS, SERVERS_MAX), given.integer(CLIENTS, CLIENTS_MAX));
  }

  @Override
  public Map<String, String> fixed() {
    Map<String, String> fixed = new LinkedHashMap<>();
    RunOptions.fix(FAULTS, faults, KNOWN, fixed);
    RunOptions.fix(OPS, opsMax, OPS_MAX, fixed);
    RunOptions.fix(SERVERS, serversMax, SERVERS_MAX, fixed);
    RunOptions.fix(CLIENTS, clientsMax, CLIENTS_MAX, fixed);
    return fixed;
  }

  /** Fewer classes of faults, fewer clients and servers, fewer requests. */
  @Override
  public List<Cut<ClusterOptions>> cuts() {
    List<Cut<ClusterOptions>> cuts = new ArrayList<>();
    cuts.addAll(Cut.ofFaults(KNOWN, ClusterOptions::faults, ClusterOptions::withFaults));
    cuts.addAll(Cut.ofCount(CLIENTS_MAX, ClusterOptions::clientsMax, (o, max) -> o.with(CLIENTS, max)));
    cuts.addAll(Cut.ofCount(SERVERS_MAX, ClusterOptions::serversMax, (o, max) -> o.with(SERVERS, max)));
    cuts.addAll(Cut.ofOps(ClusterOptions::opsMax, (o, max) -> o.with(OPS, max)));
    return cuts;
  }
}
