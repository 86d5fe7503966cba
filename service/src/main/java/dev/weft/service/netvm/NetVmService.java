package dev.weft.service.netvm;

import dev.weft.hca.node.ClusterFabric;
import dev.weft.service.Deployment;
import dev.weft.service.Host;
import dev.weft.service.Part;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.service.Service;
import java.util.Map;
import java.util.Optional;

/** NetVM as a service. It has no roles, because each HCA implements NetVM; it shows the NetVM state of a JVM's HCAs. */
public final class NetVmService implements Service {
  @Override
  public String name() {
    return NetVmSection.NAME;
  }

  @Override
  public String version() {
    return "1";
  }

  @Override
  public Optional<Deployment> deployment() {
    return Optional.of(new Shown());
  }

  @Override
  public Optional<Part> member() {
    return Optional.of(new Shown());
  }

  @Override
  public Optional<Part> joined() {
    return Optional.of(new Shown());
  }

  private static final class Shown implements Deployment {
    @Override
    public Running start(Host host) {
      ClusterFabric fabric = host.fabric();
      return new Running() {
        @Override
        public Map<String, Section> sections() {
          return Map.of(NetVmSection.NAME, Section.of(() -> NetVmSection.of(fabric.nodes())));
        }
      };
    }
  }
}
