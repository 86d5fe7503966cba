package dev.weft.lab.seed002.files;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A file system and its clients.
 *
 * @param ioNodes each with a daemon
 * @param computeNodes each with a client
 * @param settings over those of the paper's
 */
record Setup(Transport transport, Files files, int ioNodes, int computeNodes, Map<String, Object> settings) {
  /** Of a stripe, the default of PVFS 1.x; transfers are as long (seed 002 section 4.5.3). */
  static final int STRIPE_BYTES = 64 << 10;
  /** Longest message with data. */
  private static final int MESSAGE_BYTES = 32 << 10;

  Setup(Transport transport, Files files, int ioNodes, int computeNodes) {
    this(transport, files, ioNodes, computeNodes, Map.of());
  }

  /** The same with another setting. */
  Setup with(String path, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(settings);
    more.put(path, value);
    return new Setup(transport, files, ioNodes, computeNodes, more);
  }

  /** What the paper's PVFS does, in our settings. */
  Config config() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("weft.pvfs.manager.context", "process");
    map.put("weft.pvfs.client.context", "process"); // Section 4.4: interrupts on the client,
    map.put("weft.pvfs.daemon.context", transport == Transport.TCP ? "process" : "polling"); // polling on the server, which TCP cannot.
    map.put("weft.pvfs.daemon.transfer", STRIPE_BYTES);
    map.put("weft.pvfs.daemon.disk-threads", 1);
    map.put("weft.pvfs.daemon.memory", 256L << 20);
    map.put("weft.pvfs.client.band", "fixed");
    map.put("weft.pvfs.client.fast-slots", 1); // Section 4.5.2.
    map.put("weft.pvfs.daemon.fast-slots", 1);
    if (transport == Transport.TCP) {
      map.put("weft.pvfs.client.band", "inline");
      map.put("weft.pvfs.client.inline", MESSAGE_BYTES);
      map.put("weft.pvfs.daemon.inline", MESSAGE_BYTES);
      map.put("weft.pvfs.client.request", MESSAGE_BYTES);
      map.put("weft.pvfs.client.credits", 8); // Section 6.2: socket buffers of 256 kB.
      map.put("weft.pvfs.daemon.credits", 8);
    }
    map.putAll(settings);
    return ConfigFactory.parseMap(map, "seed 002");
  }
}
