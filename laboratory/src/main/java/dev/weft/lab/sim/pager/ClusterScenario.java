package dev.weft.lab.sim.pager;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.lab.kit.Draw;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.server.ServerSettings;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The cluster of one run.
 *
 * @param servers number of memory servers, each on its own node
 * @param clients number of clients, each on its own node
 * @param idle number of nodes without a role
 * @param ops requests of each client, without the final ones
 * @param depth requests that a client keeps in flight
 * @param areaBytes memory of each device at each server, whole sectors
 * @param lanes number of virtual lanes
 * @param hcaBuffers packets that an HCA buffers for each lane
 * @param pathMtu largest path MTU in bytes
 */
record ClusterScenario(int servers, int clients, int idle, int ops, int depth, long areaBytes, LinkProfile profile, int lanes,
    int hcaBuffers, int pathMtu, Config settings, PagerSettings client, ServerSettings server) {
  static final int SECTOR_BYTES = 512;
  private static final int NODES_MAX = 8;
  private static final int BLOCK_BYTES = 4096;

  static ClusterScenario draw(Draw draw, ClusterOptions options, Config reference) {
    int servers = Math.min(options.serversMax(), draw.between(1, ClusterOptions.SERVERS_MAX));
    int clients = Math.min(options.clientsMax(), draw.between(1, ClusterOptions.CLIENTS_MAX));
    int idle = Math.min(draw.chance(0.7) ? 0 : draw.between(1, 3), NODES_MAX - servers - clients);
    int ops = Math.min(options.opsMax(), (int) draw.logarithmic(20, ClusterOptions.OPS_MAX));
    int depth = draw.skewed(1, 16);
    long areaBytes = (long) draw.between(2, 20) * BLOCK_BYTES + (draw.chance(0.3) ? draw.between(1, 7) * SECTOR_BYTES : 0);
    LinkProfile profile = new LinkProfile(draw.pick(100, 1_000, 5_000), draw.chance(0.2) ? 0 : draw.pick(1, 10, 100) * 1_000_000_000L);
    int lanes = draw.pick(1, 2, 4);
    int hcaBuffers = draw.chance(0.4) ? 256 : draw.between(2, 64);
    int pathMtu = draw.pick(512, 1024, 2048, 4096, 32_768);
    int requestBytes = draw.pick(1, 1, 2, 4, 8) * BLOCK_BYTES;
    Config settings = fabric(draw, lanes, hcaBuffers, pathMtu);
    Config all = pager(draw, (long) clients * draw.pick(1, 2, 4) * (areaBytes + BLOCK_BYTES), requestBytes).withFallback(reference);
    return new ClusterScenario(servers, clients, idle, ops, depth, areaBytes, profile, lanes, hcaBuffers, pathMtu, settings,
        PagerSettings.from(all), ServerSettings.from(all));
  }

  private static Config fabric(Draw draw, int lanes, int hcaBuffers, int pathMtu) {
    Map<String, Object> map = new LinkedHashMap<>();
    int window = draw.chance(0.5) ? 2048 : draw.between(2, 200);
    map.put("weft.hca.window-packets", window);
    map.put("weft.hca.ack-interval-packets", draw.between(1, Math.min(64, window)));
    map.put("weft.hca.burst-packets", draw.pick(1, 4, 64));
    map.put("weft.hca.receive-buffer-packets", hcaBuffers);
    map.put("weft.hca.path-mtu-max", pathMtu);
    map.put("weft.fabric.switch.virtual-lanes", lanes);
    map.put("weft.fabric.switch.input-buffer-packets", draw.chance(0.4) ? 128 : draw.between(1, 32));
    return ConfigFactory.parseMap(map, "scenario");
  }

  private static Config pager(Draw draw, long memoryBytes, int requestBytes) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("weft.pager.client.pool-size", Math.max(65_536, requestBytes * draw.pick(1, 2, 4, 8)));
    map.put("weft.pager.client.max-request", requestBytes);
    map.put("weft.pager.client.credits", draw.skewed(1, 16));
    map.put("weft.pager.client.requests-max", draw.chance(0.2) ? draw.between(1, 16) : 8192);
    map.put("weft.pager.client.request-timeout", draw.pick(20, 40, 120) + " s");
    map.put("weft.pager.client.message-size", 64);
    map.put("weft.pager.client.reap-max", draw.chance(0.2) ? 1 : 256);
    map.put("weft.pager.server.memory", memoryBytes / BLOCK_BYTES * BLOCK_BYTES);
    map.put("weft.pager.server.store", draw.chance(0.4) ? "staged" : "direct");
    map.put("weft.pager.server.staging-slots", draw.skewed(1, 8));
    map.put("weft.pager.server.clients-max", 16);
    map.put("weft.pager.server.credits", draw.skewed(1, 16));
    map.put("weft.pager.server.max-request", requestBytes);
    map.put("weft.pager.server.message-size", 64);
    map.put("weft.pager.server.idle-time", draw.pick(10, 200, 2_000) + " us");
    map.put("weft.pager.server.poll-interval", draw.chance(0.7) ? "0 us" : draw.between(1, 50) + " us");
    map.put("weft.pager.server.reap-max", draw.chance(0.2) ? 1 : 256);
    map.put("weft.pager.client.inline-write", draw.chance(0.4) ? 0 : draw.pick(512, 4096, 32_768));
    map.put("weft.pager.server.inline-write", draw.chance(0.2) ? 0 : draw.pick(512, 4096, 32_768));
    map.put("weft.pager.client.reconnect-wait", draw.pick(0, 500, 10_000) + " ms");
    map.put("weft.pager.client.reconnect-interval", draw.pick(10, 500) + " ms");
    return ConfigFactory.parseMap(map, "scenario");
  }

  /** Number of all nodes. */
  int nodes() {
    return servers + clients + idle;
  }

  /** Size of the device in sectors. */
  int sectors() {
    return (int) (servers * areaBytes / SECTOR_BYTES);
  }

  @Override
  public String toString() {
    return servers + " servers (" + server.store() + "), " + clients + " clients, " + idle + " idle nodes, " + ops + " requests each, "
        + depth + " deep, areas of " + areaBytes + " bytes, MTU " + pathMtu + ", credits " + client.credits() + "/" + server.credits()
        + ", time-out " + client.requestTimeoutNs() / 1_000_000_000L + " s";
  }
}
