package dev.weft.tripwire.service;

import dev.weft.service.Deployment;
import dev.weft.service.Host;
import dev.weft.service.Launch;
import dev.weft.service.Running;
import java.util.List;
import picocli.CommandLine.Option;

/** CLAN NICs in the nodes of one JVM: in all nodes, or in those for which another service requests one. */
final class NicPart implements Deployment {
  private static final String OPTION = "--tripwire";

  @Option(names = OPTION, description = "Put a CLAN NIC with Tripwires into each node; HTTP inspection shows them as /weft/nics.")
  private boolean everywhere;

  @Override
  public List<String> argumentsOf(int member, Launch launch) {
    return everywhere ? List.of(OPTION) : List.of();
  }

  @Override
  public Running start(Host host) {
    RunningNics nics = new RunningNics(host.fabric());
    if (everywhere) {
      host.onNode(nics::equip);
    }
    return nics;
  }
}
