package dev.weft.fabric.host;

import com.typesafe.config.Config;

/**
 * What one TCP path costs, for peers that do not use verbs. Times in nanoseconds, bandwidth in bytes per second.
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
  public TcpCosts {
    ProfileReader.checkTime("tcp.send", sendNs);
    ProfileReader.checkTime("tcp.receive", receiveNs);
    ProfileReader.checkTime("tcp.segment-cost", segmentNs);
    ProfileReader.check("tcp.segment", segmentBytes, 1, 1 << 20);
    ProfileReader.check("tcp.copies", copies, 0, 16);
    ProfileReader.checkTime("tcp.wire-latency", wireNs);
    ProfileReader.checkBandwidth("tcp.wire-bandwidth", wireBytesPerSecond);
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

  private long paceNs(long bytes, MemoryCosts memory) {
    return Math.max(segmentNs + copies * memory.copyNs(bytes), ProfileReader.transferNs(bytes, wireBytesPerSecond));
  }

  static TcpCosts from(Config c) {
    return new TcpCosts(ProfileReader.ns(c, "send"), ProfileReader.ns(c, "receive"), ProfileReader.ns(c, "segment-cost"),
        Math.toIntExact(c.getBytes("segment")), c.getInt("copies"), ProfileReader.ns(c, "wire-latency"),
        c.getBytes("wire-bandwidth"));
  }
}
