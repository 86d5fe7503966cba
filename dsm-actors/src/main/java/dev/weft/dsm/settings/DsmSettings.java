package dev.weft.dsm.settings;

import com.typesafe.config.Config;
import dev.weft.dsm.release.MulticastSettings;
import dev.weft.dsm.wire.HomePlacement;
import dev.weft.hca.node.RoleContext;
import java.util.List;

/**
 * Settings of a node of shared memory ({@code weft.dsm}); {@code reference.conf} explains them.
 *
 * @param context receive context that runs the protocol
 * @param memoryBytes size of the shared memory; each node has frames for all of it
 * @param minipagesMax maximum number of minipages of all arrays together
 * @param threadsMax maximum number of threads of a node that use the memory
 * @param graceNs how long a minipage stays for threads that have waited for it
 * @param placement which nodes are homes
 * @param readsByRdma whether readable copies are fetched by RDMA Read
 * @param buffers messages in flight to each node, in each direction
 * @param joinTimeoutNs how long joining may take
 * @param statisticsMax maximum number of minipages that a home counts one by one
 * @param homeNodes names of the nodes that may be homes; empty for all
 * @param alarmAfterNs a thread that waits longer for a minipage raises an alarm
 * @param engine how minipages stay coherent
 * @param leaveTimeoutNs how long leaving may take
 * @param releaseTwinBytes maximum bytes of a node's twins of minipages with release consistency
 * @param multicast multicast of changes to many nodes
 */
public record DsmSettings(RoleContext context, long memoryBytes, int minipagesMax, int threadsMax, long graceNs, HomePlacement placement,
    boolean readsByRdma, int buffers, long joinTimeoutNs, int statisticsMax, List<String> homeNodes, long alarmAfterNs, Engine engine,
    long leaveTimeoutNs, long releaseTwinBytes, MulticastSettings multicast) {
  private static final String PATH = "weft.dsm";
  private static final int STATISTICS_MAX = 16_384;
  private static final long RELEASE_TWIN_BYTES = 1 << 26;
  private static final long ALARM_AFTER_NS = 2_000_000_000L;
  private static final long LEAVE_TIMEOUT_NS = 10_000_000_000L;

  /** Settings with default statistics, and homes at all nodes. */
  public DsmSettings(RoleContext context, long memoryBytes, int minipagesMax, int threadsMax, long graceNs, boolean centralized, boolean readsByRdma,
      int buffers, long joinTimeoutNs) {
    this(context, memoryBytes, minipagesMax, threadsMax, graceNs, centralized, readsByRdma, buffers, joinTimeoutNs, Engine.REQUEST);
  }

  /** Settings with default statistics, homes at all nodes, and this engine. */
  public DsmSettings(RoleContext context, long memoryBytes, int minipagesMax, int threadsMax, long graceNs, boolean centralized, boolean readsByRdma,
      int buffers, long joinTimeoutNs, Engine engine) {
    this(context, memoryBytes, minipagesMax, threadsMax, graceNs, centralized ? HomePlacement.CENTRALIZED : HomePlacement.FIXED, readsByRdma, buffers,
        joinTimeoutNs, STATISTICS_MAX, List.of(), ALARM_AFTER_NS, engine, LEAVE_TIMEOUT_NS, RELEASE_TWIN_BYTES, MulticastSettings.OFF);
  }

  public DsmSettings {
    check("memory", memoryBytes, 1 << 16, 1L << 36);
    check("minipages-max", minipagesMax, 1, 1 << 30);
    check("threads-max", threadsMax, 1, 65_536);
    check("grace", graceNs, 0, 1_000_000_000L);
    check("buffers", buffers, 4, 4096);
    check("join-timeout", joinTimeoutNs, 1_000_000L, 3_600_000_000_000L);
    check("statistics-max", statisticsMax, 0, 1 << 24);
    check("release.twins", releaseTwinBytes, 4096, 1L << 36);
    check("alarm-after", alarmAfterNs, 1_000_000L, 3_600_000_000_000L);
    check("leave-timeout", leaveTimeoutNs, 1_000_000L, 3_600_000_000_000L);
    homeNodes = List.copyOf(homeNodes);
    if (placement == HomePlacement.DYNAMIC && engine == Engine.SYNCHRONOUS) {
      throw new IllegalArgumentException(PATH + ".home is dynamic, must be fixed or centralized where " + PATH
          + ".engine is synchronous: its directory entries cannot move");
    }
    if (context == RoleContext.BLOCKING) {
      throw new IllegalArgumentException(PATH + ".context is blocking, must be one of isr, task-queue, process, polling");
    }
  }

  /** The same with another size of the memory. */
  public DsmSettings withMemory(long bytes) {
    return new DsmSettings(context, bytes, minipagesMax, threadsMax, graceNs, placement, readsByRdma, buffers, joinTimeoutNs, statisticsMax, homeNodes,
        alarmAfterNs, engine, leaveTimeoutNs, releaseTwinBytes, multicast);
  }

  /** The same with this maximum of twin bytes. */
  public DsmSettings withReleaseTwins(long bytes) {
    return new DsmSettings(context, memoryBytes, minipagesMax, threadsMax, graceNs, placement, readsByRdma, buffers, joinTimeoutNs, statisticsMax, homeNodes,
        alarmAfterNs, engine, leaveTimeoutNs, bytes, multicast);
  }

  /** The same with other multicast settings. */
  public DsmSettings withMulticast(MulticastSettings other) {
    return new DsmSettings(context, memoryBytes, minipagesMax, threadsMax, graceNs, placement, readsByRdma, buffers, joinTimeoutNs, statisticsMax, homeNodes,
        alarmAfterNs, engine, leaveTimeoutNs, releaseTwinBytes, other);
  }

  /** The same with another placement of homes. */
  public DsmSettings withPlacement(HomePlacement other) {
    return new DsmSettings(context, memoryBytes, minipagesMax, threadsMax, graceNs, other, readsByRdma, buffers, joinTimeoutNs, statisticsMax, homeNodes,
        alarmAfterNs, engine, leaveTimeoutNs, releaseTwinBytes, multicast);
  }

  /** The same with homes at these nodes only. */
  public DsmSettings withHomeNodes(List<String> names) {
    return new DsmSettings(context, memoryBytes, minipagesMax, threadsMax, graceNs, placement, readsByRdma, buffers, joinTimeoutNs, statisticsMax, names,
        alarmAfterNs, engine, leaveTimeoutNs, releaseTwinBytes, multicast);
  }

  private static void check(String key, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(PATH + "." + key + " is " + value + ", must be from " + min + " to " + max);
    }
  }

  /** Reads the settings. */
  public static DsmSettings from(Config config) {
    Config section = config.getConfig(PATH);
    return new DsmSettings(RoleContext.of(PATH, section), section.getBytes("memory"), section.getInt("minipages-max"),
        section.getInt("threads-max"),
        section.getDuration("grace").toNanos(), HomePlacement.of(PATH + ".home", section.getString("home")), section.getBoolean("read-by-rdma"),
        section.getInt("buffers"),
        section.getDuration("join-timeout").toNanos(), section.getInt("statistics-max"), section.getStringList("home-nodes"),
        section.getDuration("alarm-after").toNanos(), Engine.of(PATH + ".engine", section.getString("engine")),
        section.getDuration("leave-timeout").toNanos(), section.getBytes("release.twins"),
        MulticastSettings.from(section.getConfig("release.multicast")));
  }
}
