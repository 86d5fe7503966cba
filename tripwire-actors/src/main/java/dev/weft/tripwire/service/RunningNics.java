package dev.weft.tripwire.service;

import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.tripwire.nic.Nic;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** The CLAN NICs of one JVM. They end with their nodes. */
final class RunningNics implements Running {
  private final ClusterFabric fabric;
  private final List<Nic> nics = new CopyOnWriteArrayList<>();

  RunningNics(ClusterFabric fabric) {
    this.fabric = fabric;
  }

  @Override
  public void equip(Node node) {
    if (nics.stream().anyMatch(nic -> nic.node() == node)) {
      return;
    }
    nics.add(NicService.start(fabric, node));
  }

  @Override
  public Map<String, Section> sections() {
    return Map.of(NicSection.NAME, new NicSection(() -> List.copyOf(nics), fabric.system()));
  }
}
