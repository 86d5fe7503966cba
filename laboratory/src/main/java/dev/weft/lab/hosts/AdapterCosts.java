package dev.weft.lab.hosts;

import com.typesafe.config.Config;

/**
 * The costs of a host channel adapter and its bus. Times are in nanoseconds.
 *
 * @param doorbellNs from the post of a request until the adapter knows of it
 * @param wqeNs fetching and decoding a work request, once for each message
 * @param sendPacketNs sending a packet with data or a request, without moving its data
 * @param receivePacketNs receiving such a packet
 * @param ackNs sending or receiving a bare acknowledgement
 * @param completionNs writing a completion, after the last packet of a message or its acknowledgement
 * @param readTurnaroundNs at a responder, from a read request to the first byte of its answer
 * @param readCompletionNs in addition to {@code completionNs}, for RDMA Read
 * @param busBytesPerSecond bandwidth of the bus, one for both directions
 * @param busTransactionNs latency of the transfer of one packet's data over the bus, not overlapped for that packet
 * @param qpContexts number of queue pair contexts that each engine caches
 * @param qpMissNs fetching a context that is not in the cache
 * @param translateNs locking and translating one page that is not pinned; the adapter's other times include one page; 0 if it cannot do this
 * @param dmaSetupNs giving a DMA engine without work requests its next transfer; 0 if the adapter has work requests
 */
public record AdapterCosts(long doorbellNs, long wqeNs, long sendPacketNs, long receivePacketNs, long ackNs, long completionNs,
    long readTurnaroundNs, long readCompletionNs, long busBytesPerSecond, long busTransactionNs, int qpContexts, long qpMissNs,
    long translateNs, long dmaSetupNs) {
  private static final int QP_CONTEXTS_MAX = 1 << 16;
  /** Costs of zero. */
  public static final AdapterCosts FREE = new AdapterCosts(0, 0, 0, 0, 0, 0, 0, 0, ProfileReader.BANDWIDTH_MAX, 0, 1, 0);

  /** Makes the costs of an adapter that only uses pinned memory. */
  public AdapterCosts(long doorbellNs, long wqeNs, long sendPacketNs, long receivePacketNs, long ackNs, long completionNs,
      long readTurnaroundNs, long readCompletionNs, long busBytesPerSecond, long busTransactionNs, int qpContexts, long qpMissNs) {
    this(doorbellNs, wqeNs, sendPacketNs, receivePacketNs, ackNs, completionNs, readTurnaroundNs, readCompletionNs, busBytesPerSecond,
        busTransactionNs, qpContexts, qpMissNs, 0, 0);
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
    ProfileReader.check("hca.qp-contexts", qpContexts, 1, QP_CONTEXTS_MAX);
    ProfileReader.checkTime("hca.qp-miss", qpMissNs);
    ProfileReader.checkTime("hca.translate", translateNs);
    ProfileReader.checkTime("hca.dma-setup", dmaSetupNs);
  }

  static AdapterCosts from(Config hca, Config bus) {
    return new AdapterCosts(ProfileReader.ns(hca, "doorbell"), ProfileReader.ns(hca, "wqe"), ProfileReader.ns(hca, "send-packet"),
        ProfileReader.ns(hca, "receive-packet"), ProfileReader.ns(hca, "ack"), ProfileReader.ns(hca, "completion"),
        ProfileReader.ns(hca, "read-turnaround"), ProfileReader.ns(hca, "read-completion"), bus.getBytes("bandwidth"),
        ProfileReader.ns(bus, "transaction"), hca.getInt("qp-contexts"), ProfileReader.ns(hca, "qp-miss"),
        nsOrNone(hca, "translate"), nsOrNone(hca, "dma-setup"));
  }

  private static long nsOrNone(Config config, String key) {
    return config.hasPath(key) ? ProfileReader.ns(config, key) : 0;
  }
}
