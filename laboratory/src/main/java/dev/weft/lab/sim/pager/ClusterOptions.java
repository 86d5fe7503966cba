package dev.weft.lab.sim.pager;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What is not left to the seed. Each fact that is fixed leaves all others as the seed drew them, so that a failing run can be cut down.
 *
 * @param faults classes of faults that may happen; whether they do is the seed's
 * @param opsMax most requests of each client, 1 to {@value #OPS_MAX}
 * @param serversMax most memory servers, 1 to {@value #SERVERS_MAX}
 * @param clientsMax most clients, 1 or {@value #CLIENTS_MAX}
 */
public record ClusterOptions(Set<FaultClass> faults, int opsMax, int serversMax, int clientsMax) {
  public static final int OPS_MAX = 240;
  public static final int SERVERS_MAX = 4;
  public static final int CLIENTS_MAX = 2;

  /** The seed decides everything. */
  public static final ClusterOptions SWARM =
      new ClusterOptions(EnumSet.allOf(FaultClass.class), OPS_MAX, SERVERS_MAX, CLIENTS_MAX);

  public ClusterOptions {
    check("ops", opsMax, OPS_MAX);
    check("servers", serversMax, SERVERS_MAX);
    check("clients", clientsMax, CLIENTS_MAX);
    faults = Collections.unmodifiableSet(faults.isEmpty() ? EnumSet.noneOf(FaultClass.class) : EnumSet.copyOf(faults));
  }

  private static void check(String name, int value, int max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException("--" + name + " is " + value + ", must be 1 to " + max);
    }
  }

  public ClusterOptions withFaults(Set<FaultClass> allowed) {
    return new ClusterOptions(allowed, opsMax, serversMax, clientsMax);
  }

  public ClusterOptions withOps(int max) {
    return new ClusterOptions(faults, max, serversMax, clientsMax);
  }

  public ClusterOptions withServers(int max) {
    return new ClusterOptions(faults, opsMax, max, clientsMax);
  }

  public ClusterOptions withClients(int max) {
    return new ClusterOptions(faults, opsMax, serversMax, max);
  }

  /** The options of {@code weft sim} that give these, each with a leading space; empty for {@link #SWARM}. */
  public String toArguments() {
    return (faults.size() == FaultClass.values().length ? "" : " --faults " + FaultClass.describe(faults))
        + (opsMax == OPS_MAX ? "" : " --ops " + opsMax) + (serversMax == SERVERS_MAX ? "" : " --servers " + serversMax)
        + (clientsMax == CLIENTS_MAX ? "" : " --clients " + clientsMax);
  }
}
