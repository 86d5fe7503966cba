package dev.weft.lab.sim.dsm;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.Consistency;
import dev.weft.dsm.release.MulticastSettings;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.dsm.settings.Engine;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.RoleContext;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.FaultClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The nodes, the memory and the programs of one run.
 *
 * @param arrays arrays used word by word; after them the blocks, and the counters under locks
 * @param blockWords elements of a block
 * @param rounds how often all threads meet at the barrier
 * @param lateNs when each node joins, from the start; 0 for nodes that are there before
 * @param programs programs of each thread of each node
 * @param isReleased whether they also use arrays with release consistency
 * @param multicastLoss probability that a cable loses a datagram of updates, besides other faults
 */
record DsmScenario(List<SharedArray> arrays, int blockWords, int locks, int rounds, LinkProfile profile, Config fabric, DsmSettings settings,
    long[] lateNs, List<List<List<Step>>> programs, boolean isReleased, double multicastLoss) {
  private static final long MEMORY_BYTES = 1 << 17;
  private static final int MINIPAGES_MAX = (int) MEMORY_BYTES / 8;
  private static final long TWINS_FEW = 4096;
  private static final long TWINS_MANY = 1 << 20;
  private static final long GROUP_WAIT_NS = 1_000_000;
  private static final int GROUP_BUFFERS_FEW = 1;
  /** High, because a connection that loses a packet stops for seconds, in which no faults are left. */
  private static final double GROUP_LOSS = 0.1;
  private static final int GROUP_BUFFERS = 128;
  private static final long JOIN_TIMEOUT_NS = 60_000_000_000L;

  static DsmScenario draw(Draw draw, DsmOptions options, boolean mayJoinLate) {
    int nodes = Math.min(options.nodesMax(), draw.chance(0.4) ? 2 : draw.between(2, DsmOptions.NODES_MAX));
    int locks = draw.between(1, 3);
    int blockWords = draw.between(2, 6);
    List<SharedArray> arrays = drawArrays(draw.split(), locks, blockWords);
    int rounds = draw.chance(0.5) ? 0 : draw.between(1, 4);
    LinkProfile profile = new LinkProfile(draw.pick(100, 1_000, 5_000), draw.chance(0.2) ? 0 : draw.pick(1, 10, 100) * 1_000_000_000L);
    Config fabric = drawFabric(draw.split());
    DsmSettings drawn = drawSettings(draw.split(), options.engine());
    DsmSettings settings = options.home() == null ? drawn : drawn.withPlacement(options.home());
    long[] lateNs = new long[nodes];
    Draw joins = draw.split();
    boolean anyIsLate = joins.chance(0.25) && mayJoinLate;
    for (int node = 1; node < nodes; node++) {
      lateNs[node] = joins.chance(0.5) && anyIsLate ? (long) joins.logarithmic(1_000, 2_000_000) : 0;
    }
    ProgramPlanner planner = new ProgramPlanner(draw.split(), arrays, locks, rounds, options.opsMax());
    List<List<List<Step>>> programs = new ArrayList<>();
    Draw threads = draw.split();
    for (int node = 0; node < nodes; node++) {
      int count = Math.min(options.threadsMax(), threads.between(1, DsmOptions.THREADS_MAX));
      List<List<Step>> ofNode = new ArrayList<>();
      for (int i = 0; i < DsmOptions.THREADS_MAX; i++) {
        Draw own = threads.split();
        if (i < count) {
          ofNode.add(planner.plan(own));
        }
      }
      programs.add(ofNode);
    }
    return new DsmScenario(arrays, blockWords, locks, rounds, profile, fabric,
        settings.withReleaseTwins(blockWords % 2 == 0 ? TWINS_FEW : TWINS_MANY).withMulticast(multicast(blockWords, locks)), lateNs,
        programs, options.consistency() == Consistency.RELEASE, options.faults().contains(FaultClass.LOSS) ? GROUP_LOSS : 0);
  }

  /** Derived from other draws, so that earlier seeds keep their meaning. */
  private static MulticastSettings multicast(int blockWords, int locks) {
    return new MulticastSettings(blockWords % 3 != 0, 2, locks == 1 ? GROUP_WAIT_NS / 50 : GROUP_WAIT_NS, locks == 2 ? GROUP_BUFFERS_FEW : GROUP_BUFFERS);
  }

  private static List<SharedArray> drawArrays(Draw draw, int locks, int blockWords) {
    List<SharedArray> arrays = new ArrayList<>();
    for (int left = draw.between(1, 3); left > 0; left--) {
      int unit = draw.pick(8, 16, 64, 4096);
      int words = unit / Long.BYTES;
      int minipages = draw.between(1, 4);
      int length = minipages * words - (draw.chance(0.3) ? draw.between(0, words - 1) : 0);
      arrays.add(new SharedArray("words-" + arrays.size(), length, unit, drawHot(draw, length, words)));
    }
    int blocks = draw.between(1, 3);
    arrays.add(new SharedArray("blocks", blocks * blockWords, draw.pick(8, 16, 64), range(blocks)));
    arrays.add(new SharedArray("counters", locks, draw.pick(8, 64), range(locks)));
    return arrays;
  }

  private static int[] range(int count) {
    int[] numbers = new int[count];
    Arrays.setAll(numbers, i -> i);
    return numbers;
  }

  private static int[] drawHot(Draw draw, int length, int perMinipage) {
    int[] hot = new int[draw.between(1, 6)];
    for (int i = 0; i < hot.length; i++) {
      int index = i > 0 && draw.chance(0.4) ? hot[i - 1] + 1 : draw.between(0, length - 1);
      boolean isBorder = draw.chance(0.3);
      hot[i] = isBorder ? (index - index % perMinipage) % length : index % length;
    }
    return Arrays.stream(hot).distinct().toArray();
  }

  static Config drawFabric(Draw draw) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("weft.hca.window-packets", draw.chance(0.5) ? 2048 : draw.between(2, 200));
    map.put("weft.hca.ack-interval-packets", draw.between(1, 2));
    map.put("weft.hca.burst-packets", draw.pick(1, 4, 64));
    map.put("weft.hca.receive-buffer-packets", draw.chance(0.5) ? 256 : draw.between(2, 64));
    map.put("weft.hca.path-mtu-max", draw.pick(512, 1024, 4096));
    map.put("weft.fabric.switch.input-buffer-packets", draw.chance(0.5) ? 128 : draw.between(1, 32));
    return ConfigFactory.parseMap(map, "scenario");
  }

  static DsmSettings drawSettings(Draw draw, Engine engine) {
    RoleContext[] contexts = {RoleContext.ISR, RoleContext.TASK_QUEUE, RoleContext.PROCESS, RoleContext.POLLING};
    long graceNs = draw.chance(0.3) ? 0 : (long) draw.logarithmic(1_000, 1_000_000);
    return new DsmSettings(contexts[draw.between(0, contexts.length - 1)], MEMORY_BYTES, MINIPAGES_MAX, 2 * DsmOptions.THREADS_MAX, graceNs, draw.chance(0.3),
        draw.chance(0.6), draw.pick(4, 8, 64, 256), JOIN_TIMEOUT_NS, engine);
  }

  int nodes() {
    return programs.size();
  }

  int threads() {
    return programs.stream().mapToInt(List::size).sum();
  }

  int blocksAt() {
    return arrays.size() - 2;
  }

  int countersAt() {
    return arrays.size() - 1;
  }

  @Override
  public String toString() {
    return nodes() + " nodes of " + programs.stream().map(ofNode -> "" + ofNode.size()).collect(Collectors.joining("+")) + " threads, "
        + arrays.stream().map(a -> a.name() + " " + a.length() + "/" + a.unitBytes()).collect(Collectors.joining(", ")) + ", blocks of "
        + blockWords + ", " + locks + " locks, " + rounds + " rounds, " + settings.context().configName() + ", "
        + settings.placement().configName() + ", " + (settings.readsByRdma() ? "reads" : "no reads") + " by RDMA, grace "
        + settings.graceNs() + " ns, " + settings.engine().configName() + " engine, " + settings.buffers() + " buffers"
        + (isReleased ? ", release consistency with twins of " + settings.releaseTwinBytes() + " bytes and "
            + (settings.multicast().isEnabled() ? "a group" : "no group") : "")
        + (Arrays.stream(lateNs).anyMatch(late -> late > 0) ? ", joining late " + Arrays.toString(lateNs) : "");
  }
}
