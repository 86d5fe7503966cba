package dev.weft.tripwire.ip;

import java.util.concurrent.atomic.AtomicLong;

/** What one end of IP over CLAN counts. Any thread reads. */
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
   * All of them.
   *
   * @param sent packets given to the network
   * @param received packets that came and were passed on
   * @param noRoute packets dropped: for no neighbour, or not IPv4
   * @param queueFull packets dropped: too many wait for that neighbour
   * @param unreachable packets dropped: no link to that neighbour could be set up, or it failed
   * @param notDelivered packets that came and that the kernel did not take
   * @param stalls times that a packet found no cookie
   * @param linksOpened links, each of one direction
   * @param linksFailed links, and calls for them, that failed
   */
  public record Snapshot(long sent, long received, long noRoute, long queueFull, long unreachable, long notDelivered, long stalls,
      long linksOpened, long linksFailed) {}

  public Snapshot snapshot() {
    return new Snapshot(sent.get(), received.get(), noRoute.get(), queueFull.get(), unreachable.get(), notDelivered.get(), stalls.get(),
        linksOpened.get(), linksFailed.get());
  }
}
