package dev.weft.hca.verbs;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.time.Duration;

/**
 * The limits and options of an HCA: the keys of {@code weft.hca}. reference.conf explains each key.
 *
 * @param queuePairsMax queue pairs
 * @param completionQueuesMax completion queues
 * @param protectionDomainsMax protection domains
 * @param memoryRegionsMax memory regions and memory windows together
 * @param workRequestsMax depth of one send or receive queue
 * @param completionsMax entries of one completion queue
 * @param sgeMax scatter/gather elements of one request
 * @param inlineMaxBytes inline data of one request
 * @param rdAtomicMax reads and atomics outstanding in one direction of a queue pair
 * @param pathMtuMaxBytes largest path MTU
 * @param messageMaxBytes largest message
 * @param windowPackets packets that a queue pair may have unacknowledged
 * @param ackIntervalPackets largest number of packets between requests for an acknowledgement
 * @param burstPackets packets that one queue pair sends before the next one gets its turn
 * @param receiveBufferPackets link-level credits that the HCA grants per virtual lane
 * @param asyncEventsMax asynchronous events kept for a consumer that does not fetch them
 * @param sharedReceiveQueuesMax shared receive queues
 * @param completionCountersMax completion counters
 * @param multicastAttachmentsMax attachments of queue pairs to multicast groups
 * @param deviceMemoryMaxBytes memory of the HCA itself
 * @param persistentFlush whether regions may grant FLUSH_PERSISTENT
 * @param privilegedQkeys whether consumers may set Q_Keys with the top bit
 * @param sequenceWindowPackets packets of a queue pair that may arrive early and are kept; 0 or a power of two
 * @param pinMemory whether registration locks pages
 * @param controlTimeout how long a control verb waits for the hardware thread
 */
public record HcaSettings(
    int queuePairsMax,
    int completionQueuesMax,
    int protectionDomainsMax,
    int memoryRegionsMax,
    int workRequestsMax,
    int completionsMax,
    int sgeMax,
    int inlineMaxBytes,
    int rdAtomicMax,
    int pathMtuMaxBytes,
    long messageMaxBytes,
    int windowPackets,
    int ackIntervalPackets,
    int burstPackets,
    int receiveBufferPackets,
    int asyncEventsMax,
    int sharedReceiveQueuesMax,
    int completionCountersMax,
    int multicastAttachmentsMax,
    long deviceMemoryMaxBytes,
    boolean persistentFlush,
    boolean privilegedQkeys,
    int sequenceWindowPackets,
    boolean pinMemory,
    Duration controlTimeout) {
  private static final Check.Section LIMITS = new Check.Section("weft.hca");

  public HcaSettings {
    LIMITS.check("queue-pairs-max", queuePairsMax, 1, 1 << 20);
    LIMITS.check("completion-queues-max", completionQueuesMax, 1, 1 << 20);
    LIMITS.check("protection-domains-max", protectionDomainsMax, 1, 1 << 20);
    LIMITS.check("memory-regions-max", memoryRegionsMax, 1, 1 << 24);
    LIMITS.check("work-requests-max", workRequestsMax, 1, 1 << 20);
    LIMITS.check("completions-max", completionsMax, 1, 1 << 24);
    LIMITS.check("sge-max", sgeMax, 1, 256);
    LIMITS.check("inline-max", inlineMaxBytes, 0, 65536);
    LIMITS.check("rd-atomic-max", rdAtomicMax, 1, 255);
    LIMITS.check("path-mtu-max", pathMtuMaxBytes, 256, 65536);
    LIMITS.check("message-max", messageMaxBytes, 4096, 1L << 31);
    LIMITS.check("window-packets", windowPackets, 1, 1 << 22);
    LIMITS.check("ack-interval-packets", ackIntervalPackets, 1, windowPackets);
    LIMITS.check("burst-packets", burstPackets, 1, 1 << 16);
    LIMITS.check("receive-buffer-packets", receiveBufferPackets, 2, 1 << 16);
    LIMITS.check("async-events-max", asyncEventsMax, 1, 1 << 16);
    LIMITS.check("shared-receive-queues-max", sharedReceiveQueuesMax, 1, 1 << 20);
    LIMITS.check("completion-counters-max", completionCountersMax, 1, 1 << 20);
    LIMITS.check("multicast-attachments-max", multicastAttachmentsMax, 0, 1 << 20);
    if (deviceMemoryMaxBytes < 0 || deviceMemoryMaxBytes > 1L << 40) {
      throw new IllegalArgumentException("weft.hca.device-memory-max is " + deviceMemoryMaxBytes + ", must be from 0 to " + (1L << 40));
    }
    LIMITS.check("sequence-window", sequenceWindowPackets, 0, 4096);
    if (Integer.bitCount(sequenceWindowPackets) > 1) {
      throw new IllegalArgumentException("weft.hca.sequence-window is " + sequenceWindowPackets + ", must be 0 or a power of two");
    }
  }

  /** Reads {@code weft.hca} of {@code config}. */
  public static HcaSettings from(Config config) {
    Config c = config.getConfig("weft.hca");
    return new HcaSettings(
        c.getInt("queue-pairs-max"),
        c.getInt("completion-queues-max"),
        c.getInt("protection-domains-max"),
        c.getInt("memory-regions-max"),
        c.getInt("work-requests-max"),
        c.getInt("completions-max"),
        c.getInt("sge-max"),
        Check.bytes(c, "inline-max"),
        c.getInt("rd-atomic-max"),
        Check.bytes(c, "path-mtu-max"),
        c.getBytes("message-max"),
        c.getInt("window-packets"),
        c.getInt("ack-interval-packets"),
        c.getInt("burst-packets"),
        c.getInt("receive-buffer-packets"),
        c.getInt("async-events-max"),
        c.getInt("shared-receive-queues-max"),
        c.getInt("completion-counters-max"),
        c.getInt("multicast-attachments-max"),
        c.getBytes("device-memory-max"),
        c.getBoolean("persistent-flush"),
        c.getBoolean("privileged-qkeys"),
        c.getInt("sequence-window"),
        c.getBoolean("pin-memory"),
        c.getDuration("control-timeout"));
  }
}
