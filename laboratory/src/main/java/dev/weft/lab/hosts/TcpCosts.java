package dev.weft.lab.hosts;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.Check;
import java.util.concurrent.TimeUnit;

/**
 * What one TCP path costs, for peers that do not use verbs: {@code tcp/NAME.conf} has those of the hardware profile of that name. Times in
 * nanoseconds, bandwidth in bytes per second.
 *
 * @param sendNs processor time of sending a message, whatever its size, system call included
 * @param receiveNs processor time of receiving one, interrupt included
 * @param segmentNs processor time of each segment on either side
 * @param segmentBytes data of one segment
 * @param copies copies of each byte on either side, made by the processor
 * @param wireNs latency of the network under it
 * @param wireBytesPerSecond bandwidth of the network under it
 */
public record TcpCosts(long sendNs, long receiveNs, long segmentNs, int segmentBytes, int copies, long wireNs,
    long wireBytesPerSecond) {
  private static final Check.Section LIMITS = new Check.Section("profile: tcp");
  private static final long TIME_MAX_NS = TimeUnit.HOURS.toNanos(1);
  private static final long BANDWIDTH_MAX = 1_000_000_000_000L;

  public TcpCosts {
    LIMITS.check("send (in ns)", sendNs, 0, TIME_MAX_NS);
    LIMITS.check("receive (in ns)", receiveNs, 0, TIME_MAX_NS);
    LIMITS.check("segment-cost (in ns)", segmentNs, 0, TIME_MAX_NS);
    LIMITS.check("segment", segmentBytes, 1, 1 << 20);
    LIMITS.check("copies", copies, 0, 16);
    LIMITS.check("wire-latency (in ns)", wireNs, 0, TIME_MAX_NS);
    LIMITS.check("wire-bandwidth (in bytes per second)", wireBytesPerSecond, 1, BANDWIDTH_MAX);
  }

  /**
   * That of a hardware profile.
   *
   * @throws IllegalArgumentException if the profile has no such path
   */
  public static TcpCosts of(String profile, String path) {
    Config costs = ConfigFactory.parseResources(TcpCosts.class.getClassLoader(), "tcp/" + profile + ".conf");
    if (!costs.hasPath("tcp." + path)) {
      throw new IllegalArgumentException("profile " + profile + " has no TCP path " + path);
    }
    return from(costs.getConfig("tcp." + path));
  }

  /**
   * Nanoseconds of one message from the system call that sends it to the one that has received it. Segments follow each other as fast as
   * the slower of a processor and the wire lets them.
   */
  public long messageNs(long bytes, MemoryCosts memory) {
    long whole = Math.max(0, bytes - 1) / segmentBytes;
    long rest = bytes - whole * segmentBytes;
    return sendNs + wireNs + receiveNs + whole * paceNs(segmentBytes, memory) + paceNs(rest, memory);
  }

  /** Processor time of the segments of a message on either side, without what a message costs whatever its size. */
  public long segmentsNs(long bytes, MemoryCosts memory) {
    return Math.ceilDiv(Math.max(1, bytes), segmentBytes) * segmentNs + copies * memory.copyNs(bytes);
  }

  private long paceNs(long bytes, MemoryCosts memory) {
    return Math.max(segmentNs + copies * memory.copyNs(bytes), Math.ceilDiv(Math.multiplyExact(bytes, 1_000_000_000L), wireBytesPerSecond));
  }

  static TcpCosts from(Config c) {
    return new TcpCosts(ns(c, "send"), ns(c, "receive"), ns(c, "segment-cost"),
        Math.toIntExact(c.getBytes("segment")), c.getInt("copies"), ns(c, "wire-latency"),
        c.getBytes("wire-bandwidth"));
  }

  private static long ns(Config config, String key) {
    return config.getDuration(key, TimeUnit.NANOSECONDS);
  }
}
