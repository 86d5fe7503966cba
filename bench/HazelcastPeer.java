import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/**
 * Hazelcast's side of bench/compare-dsm, run from its source: two members in two JVMs on 127.0.0.1, values of 4 KiB that the other member holds.
 *
 * <p>{@code java -cp hazelcast.jar HazelcastPeer.java hold PORT OTHER_PORT} says "ready" and stays; {@code ... measure PORT OTHER_PORT N} prints
 * medians in microseconds as one JSON object, and ends.
 */
public final class HazelcastPeer {
  private static final int VALUE_BYTES = 4096;
  private static final int KEYS = 256;
  private static final int WARM_UP = 5_000;

  private HazelcastPeer() {}

  private static HazelcastInstance start(int port, int other) {
    Config config = new Config("weft-bench-" + Math.min(port, other));
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.logging.type", "none");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.getNetworkConfig().setPort(port).setPortAutoIncrement(false).setPublicAddress("127.0.0.1:" + port);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getMulticastConfig().setEnabled(false);
    join.getAutoDetectionConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).addMember("127.0.0.1:" + port).addMember("127.0.0.1:" + other);
    return Hazelcast.newHazelcastInstance(config);
  }

  private interface Step {
    void run(int i);
  }

  private static double medianUs(int count, Step step) {
    for (int i = 0; i < WARM_UP; i++) {
      step.run(i);
    }
    long[] took = new long[count];
    for (int i = 0; i < count; i++) {
      long startNs = System.nanoTime();
      step.run(i);
      took[i] = System.nanoTime() - startNs;
    }
    Arrays.sort(took);
    return took[count / 2] / 1000.0;
  }

  public static void main(String[] args) throws InterruptedException {
    HazelcastInstance member = start(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    if (args[0].equals("hold")) {
      System.out.println("ready");
      new CountDownLatch(1).await();
    }
    while (member.getCluster().getMembers().size() < 2 || !member.getPartitionService().isClusterSafe()
        || member.getPartitionService().getPartition(0).getOwner() == null) {
      Thread.sleep(50);
    }
    IMap<Integer, byte[]> map = member.getMap("values");
    int[] keys = new int[KEYS];
    int found = 0;
    for (int key = 0; found < KEYS; key++) {
      if (!member.getPartitionService().getPartition(key).getOwner().localMember()) {
        keys[found++] = key;
      }
    }
    byte[] value = new byte[VALUE_BYTES];
    for (int key : keys) {
      map.set(key, value);
    }
    int count = Integer.parseInt(args[3]);
    double get = medianUs(count, i -> map.get(keys[i % KEYS]));
    double set = medianUs(count, i -> map.set(keys[i % KEYS], value));
    double lock = medianUs(count, i -> {
      map.lock(keys[i % KEYS]);
      map.unlock(keys[i % KEYS]);
    });
    System.out.printf("{\"get\":%.3f,\"set\":%.3f,\"lock\":%.3f}%n", get, set, lock);
    member.shutdown();
  }
}
