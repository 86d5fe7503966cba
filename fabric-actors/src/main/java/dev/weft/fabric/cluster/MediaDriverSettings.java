package dev.weft.fabric.cluster;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import dev.weft.fabric.seal.SealedSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of block {@code weft.fabric.cluster.media-driver}, validated. Lengths are in bytes.
 *
 * @param directory directory of the driver's shared memory
 */
public record MediaDriverSettings(
    Path directory,
    long maxHeapBytes,
    int udpTermLength,
    int ipcTermLength,
    int udpMtuBytes,
    int ipcMtuBytes,
    int socketBufferBytes,
    long minParkNs,
    long maxParkNs,
    long exitWhenUnusedAfterMs,
    long startTimeoutMs) {

  /** Longest frame that Aeron carries. */
  public static final int MTU_MAX = 65_504;
  /** Longest frame that Aeron carries over UDP: a fabric with a secret seals it, which makes it longer. */
  public static final int UDP_MTU_MAX = MTU_MAX - SealedSocket.OVERHEAD;
  private static final String SECTION = "weft.fabric.cluster.media-driver.";
  private static final long TERM_MIN = 64 * 1024;
  private static final long TERM_MAX = 1 << 30;

  public MediaDriverSettings {
    Check.range(SECTION + "max-heap", maxHeapBytes, 24L << 20, 64L << 30);
    Check.powerOfTwo(SECTION + "udp-term-length", udpTermLength, TERM_MIN, TERM_MAX);
    Check.powerOfTwo(SECTION + "ipc-term-length", ipcTermLength, TERM_MIN, TERM_MAX);
    checkMtu("udp-mtu", udpMtuBytes, UDP_MTU_MAX);
    checkMtu("ipc-mtu", ipcMtuBytes, MTU_MAX);
    Check.range(SECTION + "socket-buffer", socketBufferBytes, udpMtuBytes, TERM_MAX);
    Check.range(SECTION + "min-park (ns)", minParkNs, 1000, maxParkNs);
    Check.range(SECTION + "max-park (ns)", maxParkNs, 100_000, 50_000_000);
    Check.range(SECTION + "exit-when-unused-after (ms)", exitWhenUnusedAfterMs, 1000, Long.MAX_VALUE);
    Check.range(SECTION + "start-timeout (ms)", startTimeoutMs, 1000, 600_000);
  }

  private static void checkMtu(String key, int mtu, int max) {
    Check.range(SECTION + key, mtu, 256, max);
    if (mtu % 32 != 0) {
      throw new IllegalArgumentException(SECTION + key + " = " + mtu + " must be a multiple of 32");
    }
  }

  /** Reads the block from a whole configuration. */
  public static MediaDriverSettings of(Config config) {
    Config block = config.getConfig("weft.fabric.cluster.media-driver");
    String directory = block.getString("directory");
    return new MediaDriverSettings(
        directory.isEmpty() ? defaultDirectory(block.getString("cluster-name")) : Path.of(directory),
        block.getBytes("max-heap"),
        Check.bytes(block, "udp-term-length"),
        Check.bytes(block, "ipc-term-length"),
        Check.bytes(block, "udp-mtu"),
        Check.bytes(block, "ipc-mtu"),
        Check.bytes(block, "socket-buffer"),
        block.getDuration("min-park").toNanos(),
        block.getDuration("max-park").toNanos(),
        block.getDuration("exit-when-unused-after").toMillis(),
        block.getDuration("start-timeout").toMillis());
  }

  /** Returns {@code /dev/shm/weft-<user>/<cluster>}; the user's directory is closed to others. */
  public static Path defaultDirectory(String clusterName) {
    if (!clusterName.matches("[A-Za-z0-9-]{1,64}")) {
      throw new IllegalArgumentException(SECTION + "cluster-name = \"" + clusterName
          + "\" must be 1 to 64 letters, digits or dashes");
    }
    return Path.of("/dev/shm", "weft-" + System.getProperty("user.name"), clusterName);
  }

  /** Returns the same settings with another directory. */
  public MediaDriverSettings withDirectory(Path other) {
    return new MediaDriverSettings(other, maxHeapBytes, udpTermLength, ipcTermLength, udpMtuBytes, ipcMtuBytes,
        socketBufferBytes, minParkNs, maxParkNs, exitWhenUnusedAfterMs, startTimeoutMs);
  }

  /** Returns the same settings with another {@code exit-when-unused-after}. */
  public MediaDriverSettings withExitWhenUnusedAfter(Duration duration) {
    return new MediaDriverSettings(directory, maxHeapBytes, udpTermLength, ipcTermLength, udpMtuBytes, ipcMtuBytes,
        socketBufferBytes, minParkNs, maxParkNs, duration.toMillis(), startTimeoutMs);
  }

  /** Returns the arguments for {@link MediaDriverMain}. */
  List<String> toArguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("directory=" + directory);
    arguments.add("maxHeapBytes=" + maxHeapBytes);
    arguments.add("udpTermLength=" + udpTermLength);
    arguments.add("ipcTermLength=" + ipcTermLength);
    arguments.add("udpMtuBytes=" + udpMtuBytes);
    arguments.add("ipcMtuBytes=" + ipcMtuBytes);
    arguments.add("socketBufferBytes=" + socketBufferBytes);
    arguments.add("minParkNs=" + minParkNs);
    arguments.add("maxParkNs=" + maxParkNs);
    arguments.add("exitWhenUnusedAfterMs=" + exitWhenUnusedAfterMs);
    arguments.add("startTimeoutMs=" + startTimeoutMs);
    return arguments;
  }

  static MediaDriverSettings ofArguments(String[] arguments) {
    Map<String, String> values = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException("argument \"" + argument + "\" must be name=value");
      }
      values.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    return new MediaDriverSettings(
        Path.of(text(values, "directory")),
        number(values, "maxHeapBytes"),
        Math.toIntExact(number(values, "udpTermLength")),
        Math.toIntExact(number(values, "ipcTermLength")),
        Math.toIntExact(number(values, "udpMtuBytes")),
        Math.toIntExact(number(values, "ipcMtuBytes")),
        Math.toIntExact(number(values, "socketBufferBytes")),
        number(values, "minParkNs"),
        number(values, "maxParkNs"),
        number(values, "exitWhenUnusedAfterMs"),
        number(values, "startTimeoutMs"));
  }

  private static long number(Map<String, String> values, String name) {
    return Long.parseLong(text(values, name));
  }

  private static String text(Map<String, String> values, String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("argument " + name + "=... is missing");
    }
    return value;
  }
}
