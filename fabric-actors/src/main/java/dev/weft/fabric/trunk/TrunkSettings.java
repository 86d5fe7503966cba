package dev.weft.fabric.trunk;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.util.Arrays;
import java.util.Locale;

/**
 * The settings of block {@code weft.fabric.trunk}, validated.
 *
 * @param pathMtuBytes largest payload of a packet
 * @param udpPathMtuBytes the same over UDP, at most {@code pathMtuBytes}; 0 to take it from the network interface
 * @param oneCopyFromBytes payload from which a packet in shared memory refers to the sender's memory; 0 for never
 * @param oneCopyUnsharedFromBytes the same for memory that the receiver cannot map
 * @param oneCopyHeldBytes bytes of payload with an owner that may be held for one peer at a time
 * @param queuePackets credits of the switch port on each virtual lane
 * @param undeliverableAfterNs how long packets wait for a peer that reads none
 * @param losslessUndeliverableAfterNs the same for lossless packets to a connected peer; not less than {@code undeliverableAfterNs}
 */
public record TrunkSettings(
    Transport transport,
    Icrc icrc,
    int pathMtuBytes,
    int udpPathMtuBytes,
    int ipcTermLength,
    int udpTermLength,
    String udpHost,
    int udpPort,
    int queuePackets,
    long undeliverableAfterNs,
    long losslessUndeliverableAfterNs,
    int receiveWindowPackets,
    int pollBatch,
    int oneCopyFromBytes,
    int oneCopyUnsharedFromBytes,
    long oneCopyHeldBytes) {

  /** How packets reach another JVM. */
  public enum Transport { AUTO, IPC, UDP }

  /** When packets carry a computed ICRC; AUTO means over UDP. */
  public enum Icrc { AUTO, ON, OFF }

  /** Largest path MTU that one Aeron frame carries. */
  public static final int PATH_MTU_MAX = 65_424;

  private static final String SECTION = "weft.fabric.trunk.";
  private static final int UDP_PATH_MTU_AUTO = 0;
  private static final int NEVER = 0;
  private static final long MILLISECOND_NS = 1_000_000L;
  private static final long HOUR_NS = 3_600_000L * MILLISECOND_NS;

  public TrunkSettings {
    Check.range(SECTION + "path-mtu", pathMtuBytes, 256, PATH_MTU_MAX);
    checkMultipleOf4("path-mtu", pathMtuBytes);
    if (udpPathMtuBytes != UDP_PATH_MTU_AUTO) {
      Check.range(SECTION + "udp-path-mtu", udpPathMtuBytes, 256, PATH_MTU_MAX);
      checkMultipleOf4("udp-path-mtu", udpPathMtuBytes);
    }
    checkTerm("ipc-term-length", ipcTermLength, pathMtuBytes);
    checkTerm("udp-term-length", udpTermLength, pathMtuBytes);
    Check.range(SECTION + "udp-port", udpPort, 0, 65_535);
    Check.range(SECTION + "queue-packets", queuePackets, 2, 4096);
    Check.range(SECTION + "undeliverable-after (ns)", undeliverableAfterNs, MILLISECOND_NS, HOUR_NS);
    Check.range(SECTION + "lossless-undeliverable-after (ns)", losslessUndeliverableAfterNs, undeliverableAfterNs, HOUR_NS);
    Check.powerOfTwo(SECTION + "receive-window-packets", receiveWindowPackets, 2, 65_536);
    Check.range(SECTION + "poll-batch", pollBatch, 1, 65_536);
    Check.range(SECTION + "one-copy-from", oneCopyFromBytes, 0, 65_536);
    Check.range(SECTION + "one-copy-held", oneCopyHeldBytes, 0, 1L << 40);
    Check.range(SECTION + "one-copy-unshared-from", oneCopyUnsharedFromBytes, 0, 65_536);
  }

  private static void checkMultipleOf4(String key, int bytes) {
    if (bytes % 4 != 0) {
      throw new IllegalArgumentException(SECTION + key + " = " + bytes + " must be a multiple of 4");
    }
  }

  /** Returns the largest payload over UDP that this JVM accepts and sends. For auto, derives it from the network interface of {@code udpHost}. */
  int resolveUdpPathMtu() {
    return udpPathMtuBytes == UDP_PATH_MTU_AUTO ? UdpPath.pathMtu(udpHost, pathMtuBytes) : Math.min(udpPathMtuBytes, pathMtuBytes);
  }

  private static void checkTerm(String key, int length, int pathMtuBytes) {
    Check.powerOfTwo(SECTION + key, length, 64 * 1024, 1 << 30);
    int needed = 8 * TrunkFrame.mtuFor(pathMtuBytes);
    if (length < needed) {
      throw new IllegalArgumentException(SECTION + key + " = " + length + " must be at least " + needed
          + ", eight frames of path-mtu = " + pathMtuBytes);
    }
  }

  private static int bytesOrNever(Config block, String key) {
    if (block.getString(key).equals("never")) {
      return NEVER;
    }
    int bytes = Check.bytes(block, key);
    Check.range(SECTION + key, bytes, 1, 65_536);
    return bytes;
  }

  private static <E extends Enum<E>> E choice(Config block, String key, Class<E> type) {
    String value = block.getString(key);
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equalsIgnoreCase(value)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(SECTION + key + " = \"" + value + "\" must be one of "
        + Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT));
  }

  /** Reads the block from a whole configuration. */
  public static TrunkSettings of(Config config) {
    Config block = config.getConfig("weft.fabric.trunk");
    return new TrunkSettings(
        choice(block, "transport", Transport.class),
        choice(block, "icrc", Icrc.class),
        Check.bytes(block, "path-mtu"),
        block.getString("udp-path-mtu").equals("auto") ? UDP_PATH_MTU_AUTO : Check.bytes(block, "udp-path-mtu"),
        Check.bytes(block, "ipc-term-length"),
        Check.bytes(block, "udp-term-length"),
        block.getString("udp-host"),
        block.getInt("udp-port"),
        block.getInt("queue-packets"),
        block.getDuration("undeliverable-after").toNanos(),
        block.getDuration("lossless-undeliverable-after").toNanos(),
        block.getInt("receive-window-packets"),
        block.getInt("poll-batch"),
        bytesOrNever(block, "one-copy-from"),
        bytesOrNever(block, "one-copy-unshared-from"),
        block.getBytes("one-copy-held"));
  }
}
