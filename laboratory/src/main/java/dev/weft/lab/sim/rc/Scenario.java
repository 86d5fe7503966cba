package dev.weft.lab.sim.rc;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.lab.kit.Draw;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The fabric of one run.
 *
 * @param nodes number of nodes around the switch
 * @param profile latency and speed of the links
 * @param settings limits of HCAs and switch, over their {@code reference.conf}
 * @param lanes number of virtual lanes
 * @param hcaBuffers packets that an HCA buffers for each lane
 */
record Scenario(int nodes, LinkProfile profile, Config settings, int lanes, int hcaBuffers) {
  private static final int NODES_MAX = 5;

  static Scenario draw(Draw draw) {
    int nodes = draw.between(2, NODES_MAX);
    LinkProfile profile = new LinkProfile(draw.pick(100, 1_000, 5_000),
        draw.chance(0.2) ? 0 : draw.pick(10, 40, 100) * 1_000_000_000L);
    int window = draw.chance(0.3) ? 2048 : draw.between(2, 200);
    int lanes = draw.pick(1, 2, 4);
    int hcaBuffers = draw.chance(0.4) ? 256 : draw.between(2, 64);
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("weft.hca.window-packets", window);
    settings.put("weft.hca.ack-interval-packets", draw.between(1, Math.min(64, window)));
    settings.put("weft.hca.burst-packets", draw.pick(1, 4, 64));
    settings.put("weft.hca.receive-buffer-packets", hcaBuffers);
    settings.put("weft.fabric.switch.virtual-lanes", lanes);
    settings.put("weft.fabric.switch.input-buffer-packets", draw.chance(0.4) ? 128 : draw.between(1, 32));
    return new Scenario(nodes, profile, ConfigFactory.parseMap(settings, "scenario"), lanes, hcaBuffers);
  }
}
