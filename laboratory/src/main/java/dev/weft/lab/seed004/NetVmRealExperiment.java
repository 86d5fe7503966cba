package dev.weft.lab.seed004;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.node.Node;
import dev.weft.hca.sync.SyncClient;
import dev.weft.hca.sync.SyncMember;
import dev.weft.hca.sync.SyncService;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Unpinned memory, and locks, on this machine, against a {@link NetVmService} that may be in another JVM: what is compared is measured in
 * the same run, in turn. Driven on the hardware thread, completions by interrupt. Called by one application thread.
 */
public final class NetVmRealExperiment implements AutoCloseable {
  /** Nanoseconds from posting a write to its completion, medians and 99th percentiles. */
  public record Latency(int bytes, long pinnedP50, long unpinnedP50, long pinnedP99, long unpinnedP99) {}

  /** Bytes per second, medians of the slices. */
  public record Bandwidth(int bytes, double pinned, double unpinned) {}

  /**
   * Nanoseconds.
   *
   * @param registration registering and deregistering pinned memory, median
   * @param added what an unpinned write takes longer, difference of medians
   */
  public record Pinning(int bytes, long registration, long added) {
    /** Hit rate, 0 to 1, of a cache of registrations from which on it costs less than not to pin; 0 if it always does. */
    public double breakEven() {
      return Math.clamp(1 - (double) Math.max(0, added) / registration, 0, 1);
    }
  }

  /**
   * Operations on random pages of which most are absent.
   *
   * @param operations how many; their latencies in nanoseconds follow
   * @param faults absent pages that they met
   * @param redirected packets that waited for their page
   * @param rnr RNR NAKs and RNR time-outs, of both sides, all connections
   * @param silent writes per second of a connection beside them while they rest, {@code resident} while they go to pages that are there,
   *     {@code faulting} while they go to random pages; medians of the phases
   * @param residentOperations per second, {@code faultingOperations} likewise
   */
  public record Faults(int operations, long p50, long p99, long worst, long faults, long redirected, long rnr, double silent,
      double resident, double faulting, double residentOperations, double faultingOperations) {}

  /** Nanoseconds, medians: of a hand-over with a waiter, its 99th percentile, and of entering a free lock. */
  public record Locks(long handOver, long handOverP99, long enter) {}

  private static final int DEPTH = 8;
  private static final int RESIDENT_PAGES = 256;
  private static final int FAULTING_PAGES = 8192;
  private static final long PHASE_NS = 50_000_000;
  private static final long SLICE_NS = 20_000_000;
  private static final int SLICES = 25;
  private static final int PATIENCE_SECONDS = 600;
  private static final int CQE = 256;

  private final Node near;
  private final String far;
  private final Clock clock;
  private final CompletionQueue cq;
  private final NetVmHost host;
  private final WorkCompletion wc = new WorkCompletion();
  private volatile NetVmDrive drive;

  /** From node {@code near} of this JVM, whose pages are kept in a file of {@code directory}, to a node with the service. */
  public NetVmRealExperiment(Node near, String far, Path directory) throws IOException {
    this.near = near;
    this.far = far;
    clock = near.context().clock();
    host = new NetVmHost(near.hca(), directory.resolve("pages-" + near.name()));
    cq = near.hca().createCq(CQE, ReceiveContext.ISR, this::onCompletions);
    cq.arm(false);
  }

  private void onCompletions(CompletionQueue queue) {
    do {
      while (queue.poll(wc)) {
        drive.take(wc);
      }
    } while (queue.arm(false) == CompletionQueue.Armed.COMPLETIONS_WAITING);
  }

  private <D extends NetVmDrive> D run(D next) {
    drive = next;
    near.hca().later(() -> {
      next.start();
      return null;
    });
    await(next.end());
    return next;
  }

  private static <T> T await(CompletableFuture<T> end) {
    try {
      return end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("a measurement did not end within " + PATIENCE_SECONDS + " s", e);
    }
  }

  private NetVmEnd open(boolean unpinned, long localBytes, long remoteBytes) {
    return new NetVmEnd(near, far, cq, host, unpinned, localBytes, new NetVmWire.Open(unpinned, false, remoteBytes));
  }

  /** Writes of {@code bytes} to pages that are there, {@code each} of either kind. */
  public Latency latency(int bytes, int each) {
    try (NetVmEnd pinned = open(false, bytes, bytes); NetVmEnd unpinned = open(true, bytes, bytes)) {
      WritesInTurn writes = run(new WritesInTurn(List.of(pinned, unpinned), bytes, each, each / 2, clock));
      long[] one = sorted(writes.ns(0));
      long[] other = sorted(writes.ns(1));
      return new Latency(bytes, at(one, 0.5), at(other, 0.5), at(one, 0.99), at(other, 0.99));
    }
  }

  /** Streams of such writes, 0.5 s of either kind. */
  public Bandwidth bandwidth(int bytes) {
    try (NetVmEnd pinned = open(false, bytes, bytes); NetVmEnd unpinned = open(true, bytes, bytes)) {
      run(new StreamsInTurn(List.of(pinned, unpinned), bytes, SLICES / 5, SLICE_NS, clock));
      StreamsInTurn streams = run(new StreamsInTurn(List.of(pinned, unpinned), bytes, SLICES, SLICE_NS, clock));
      return new Bandwidth(bytes, median(streams.rates(0)), median(streams.rates(1)));
    }
  }

  /** What pinning costs, and what translation does. */
  public Pinning pinning(int bytes, int each) {
    Latency latency = latency(bytes, each);
    long[] ns = new long[Math.max(1, each / 10)];
    ProtectionDomain pd = near.hca().allocPd();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(bytes, NetVmHost.PAGE);
      for (int i = -ns.length; i < ns.length; i++) {
        long beganNs = clock.nowNs();
        MemoryRegion mr = near.hca().regMr(pd, memory, Access.ALL);
        near.hca().deregMr(mr);
        ns[Math.max(0, i)] = clock.nowNs() - beganNs;
      }
    } finally {
      near.hca().deallocPd(pd);
    }
    return new Pinning(bytes, at(sorted(ns), 0.5), latency.unpinnedP50() - latency.pinnedP50());
  }

  /**
   * Operations on random pages, an eighth of which fit in memory, beside a connection whose memory is pinned.
   *
   * @param perSecond how many are due, or 0 for as many as can be
   */
  public Faults faults(int operations, int perSecond, long seed) {
    try (NetVmEnd bystander = open(false, NetVmHost.PAGE, NetVmHost.PAGE);
        NetVmEnd other = new NetVmEnd(near, far, cq, host, false, (long) DEPTH * FaultingRun.SLOT_BYTES,
            new NetVmWire.Open(true, false, (long) FAULTING_PAGES * NetVmHost.PAGE))) {
      run(new FaultingRun(bystander, other, operations / 20 + 1, DEPTH, FAULTING_PAGES, RESIDENT_PAGES, PHASE_NS, 0, seed + 1,
          clock));
      NetVmWire.Report before = NetVmEnd.report(near, far, cq);
      long rnrBefore = rnr();
      FaultingRun run = run(new FaultingRun(bystander, other, operations, DEPTH, FAULTING_PAGES, RESIDENT_PAGES, PHASE_NS, perSecond,
          seed, clock));
      NetVmWire.Report after = NetVmEnd.report(near, far, cq);
      long[] ns = sorted(run.ns());
      return new Faults(operations, at(ns, 0.5), at(ns, 0.99), ns[ns.length - 1], after.faults() - before.faults(),
          after.redirected() - before.redirected(), after.rnrNaks() - before.rnrNaks() + rnr() - rnrBefore,
          rate(run, FaultingRun.Neighbour.SILENT, false), rate(run, FaultingRun.Neighbour.RESIDENT, false),
          rate(run, FaultingRun.Neighbour.FAULTING, false), rate(run, FaultingRun.Neighbour.RESIDENT, true),
          rate(run, FaultingRun.Neighbour.FAULTING, true));
    }
  }

  private long rnr() {
    HcaSnapshot.Counters counters = near.hca().inspect().counters();
    return counters.rnrNaksSent() + counters.rnrNaksReceived() + counters.rnrTimeouts();
  }

  private static double rate(FaultingRun run, FaultingRun.Neighbour neighbour, boolean ofNeighbour) {
    return median(run.phases().stream().filter(phase -> phase.neighbour() == neighbour)
        .mapToDouble(phase -> ofNeighbour ? phase.neighbourPerSecond() : phase.perSecond()).toArray());
  }

  /** Locks between a client here, where their home is, too, and one there. */
  public Locks locks(int rounds) {
    CompletableFuture<SyncClient> joined = new CompletableFuture<>();
    try (SyncService _ = SyncService.offer(near, NetVmWire.LOCKS, 2, HandOver.KINDS);
        SyncMember _ = SyncMember.join(near, near.name(), NetVmWire.LOCKS, HandOver.OBJECTS, ReceiveContext.ISR, new Joining(joined));
        NetVmEnd _ = new NetVmEnd(near, far, cq, host, false, NetVmHost.PAGE, new NetVmWire.Open(false, true, NetVmHost.PAGE))) {
      SyncClient client = await(joined);
      await(HandOver.measure(client, clock, Math.max(1, rounds / 2)));
      HandOver run = await(HandOver.measure(client, clock, rounds));
      long[] pairs = sorted(run.pairs());
      return new Locks(at(pairs, 0.5) / 2, at(pairs, 0.99) / 2, at(sorted(run.entries()), 0.5));
    }
  }

  private record Joining(CompletableFuture<SyncClient> joined) implements SyncMember.Observer {
    @Override
    public void onJoined(SyncClient client) {
      joined.complete(client);
    }

    @Override
    public void onLost(String reason) {
      joined.completeExceptionally(new IllegalStateException(reason));
    }
  }

  private static long[] sorted(long[] ns) {
    long[] sorted = ns.clone();
    Arrays.sort(sorted);
    return sorted;
  }

  private static long at(long[] sorted, double quantile) {
    return sorted[(int) Math.min(sorted.length - 1L, (long) (sorted.length * quantile))];
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
  }

  @Override
  public void close() {
    near.hca().destroyCq(cq);
    host.close();
  }
}
