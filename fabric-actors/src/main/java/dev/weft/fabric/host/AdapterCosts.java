package dev.weft.fabric.host;

import com.typesafe.config.Config;

/**
 * What a host channel adapter and the bus to it cost. Times in nanoseconds.
 *
 * @param doorbellNs from the post of a request to the adapter's knowing of it
 * @param wqeNs fetching and decoding a work request, once for each message
 * @param sendPacketNs sending a packet with data or a request, without moving its data
 * @param receivePacketNs receiving one
 * @param ackNs sending or receiving a bare acknowledgement
 * @param completionNs writing a completion, after the last packet of a message or its acknowledgement
 * @param readTurnaroundNs a responder's way from a read request to the first byte of its answer
 * @param readCompletionNs in addition to completionNs, for RDMA Read
 * @param busBytesPerSecond bandwidth of the bus, one for both directions
 * @param busTransactionNs latency of the transfer of one packet's data over the bus, not overlapped for that packet
 * @param translateNs locking and translating one page that is not pinned, of which the adapter's other times contain one; 0 where it cannot
 */
public record AdapterCosts(long doorbellNs, long wqeNs, long sendPacketNs, long receivePacketNs, long ackNs, long completionNs,
    long readTurnaroundNs, long readCompletionNs, long busBytesPerSecond, long busTransactionNs, long translateNs) {

  /** An adapter that knows pinned memory only. */
  public AdapterCosts(long doorbellNs, long wqeNs, long sendPacketNs, long receivePacketNs, long ackNs, long completionNs,
      long readTurnaroundNs, long readCompletionNs, long busBytesPerSecond, long busTransactionNs) {
    this(doorbellNs, wqeNs, sendPacketNs, receivePacketNs, ackNs, completionNs, readTurnaroundNs, readCompletionNs, busBytesPerSecond,
        busTransactionNs, 0);
  }

  public AdapterCosts {
    ProfileReader.checkTime("hca.doorbell", doorbellNs);
    ProfileReader.checkTime("hca.wqe", wqeNs);
    ProfileReader.checkTime("hca.send-packet", sendPacketNs);
    ProfileReader.checkTime("hca.receive-packet", receivePacketNs);
    ProfileReader.checkTime("hca.ack", ackNs);
    ProfileReader.checkTime("hca.completion", completionNs);
    ProfileReader.checkTime("hca.read-turnaround", readTurnaroundNs);
    ProfileReader.checkTime("hca.read-completion", readCompletionNs);
    ProfileReader.checkBandwidth("bus.bandwidth", busBytesPerSecond);
    ProfileReader.checkTime("bus.transaction", busTransactionNs);
    ProfileReader.checkTime("hca.translate", translateNs);
  }

  static AdapterCosts from(Config hca, Config bus) {
    return new AdapterCosts(ProfileReader.ns(hca, "doorbell"), ProfileReader.ns(hca, "wqe"), ProfileReader.ns(hca, "send-packet"),
        ProfileReader.ns(hca, "receive-packet"), ProfileReader.ns(hca, "ack"), ProfileReader.ns(hca, "completion"),
        ProfileReader.ns(hca, "read-turnaround"), ProfileReader.ns(hca, "read-completion"), bus.getBytes("bandwidth"),
        ProfileReader.ns(bus, "transaction"), hca.hasPath("translate") ? ProfileReader.ns(hca, "translate") : 0);
  }
}
