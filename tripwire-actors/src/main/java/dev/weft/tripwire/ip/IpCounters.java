package dev.weft.tripwire.ip;

import java.util.concurrent.atomic.AtomicLong;

/** Counters of one end of IP over CLAN. Any thread reads. */
public final class IpCounters {
  final AtomicLong sent = new AtomicLong();
  final AtomicLong received = new AtomicLong();
  final AtomicLong noRoute = new AtomicLong();
  final AtomicLong queueFull = new AtomicLong();
  final AtomicLong unreachable = new AtomicLong();
  final AtomicLong notDelivered = new AtomicLong();
  final AtomicLong stalls = new AtomicLong();
  final AtomicLong linksOpened = new AtomicLong();
  final AtomicLong linksFailed = new AtomicLong();

  IpCounters() {}

  /**
   * All counters.
   *
   * @param sent packets given to the network
   * @param received packets that arrived and were passed on
   * @param noRoute dropped packets: no neighbour, or not IPv4
   * @param queueFull dropped packets: too many wait for that neighbour
   * @param unreachable dropped packets: the link to that neighbour could not be set up, or failed
   * @param notDelivered packets that arrived and that the kernel refused
   * @param stalls how often a packet found no cookie
   * @param linksOpened links, each in one direction
   * @param linksFailed links, and calls for them, that failed
   */
  public record Snapshot(long sent, long received, long noRoute, long queueFull, long unreachable, long notDelivered, long stalls,
      long linksOpened, long linksFailed) {}

  public Snapshot snapshot() {
    return new Snapshot(sent.get(), received.get(), noRoute.get(), queueFull.get(), unreachable.get(), notDelivered.get(), stalls.get(),
        linksOpened.get(), linksFailed.get());
  }
}
