package dev.weft.lab.seed000;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.messaging.EndpointStats;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.lab.hosts.CpuLoad;
import dev.weft.lab.hosts.CpuStats;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.hosts.ThreadLoad;
import dev.weft.lab.hosts.VirtualHost;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;

/**
 * Round-trip time of a small request and its reply for each receive context of the server, idle or with processes that compute beside
 * it (seed 000 section 5.1 and Table 1).
 *
 * <p>In virtual time the two are hosts of a hardware profile; the client polls, on a host of its own without load, and the load is on
 * the server. In real time the load is on the whole machine; either both are nodes of this JVM and the client runs in ISR context, or the
 * server is in another JVM, each with a hardware thread of its own, and the client runs where its caller wants it.
 */
public final class ReceiveContextExperiment {
  private static final long HIGHEST_NS = TimeUnit.HOURS.toNanos(1);
  private static final int DIGITS = 3;
  private static final long ROUND_MAX_NS = TimeUnit.SECONDS.toNanos(1);
  private static final String NODE = "pp-";

  /**
   * What to run.
   *
   * @param server receive context of the server
   * @param rounds round trips that count, 1 to 10,000,000
   * @param warmup round trips before them, 0 to 10,000,000
   * @param load processes that compute on the server; in real time threads of this machine; 0 to 1024
   * @param messageBytes length of request and reply, 8 to 65,536
   * @param serverComputes the process that a signal reaches computes all the time, as an application of the paper does; in virtual
   *     time only
   * @param selectivePollNs the client waits in ISR context and polls selectively (seed 000 section 4) for so long; 0 for the client
   *     of the class comment
   */
  public record Setup(ReceiveContext server, int rounds, int warmup, int load, int messageBytes, boolean serverComputes,
      long selectivePollNs) {
    public Setup {
      check("rounds", rounds, 1, 10_000_000);
      check("warmup", warmup, 0, 10_000_000);
      check("load", load, 0, 1024);
      check("messageBytes", messageBytes, 8, 65_536);
      check("selectivePollNs", selectivePollNs, 0, HIGHEST_NS);
    }

    /** Sixty-four bytes, a tenth of the rounds to warm up. */
    public static Setup of(ReceiveContext server, int rounds, int load) {
      return new Setup(server, rounds, rounds / 10, load, 64, false, 0);
    }
  }

  /**
   * What came out.
   *
   * @param setup what was run
   * @param profile hardware profile, or "real" in real time
   * @param seed seed of virtual time, 0 in real time
   * @param roundTrips distribution of the round trips that count, in nanoseconds
   * @param server the server's endpoint; null if it is not in this JVM's hands
   * @param client the client's endpoint
   * @param cpu the server's processors; null in real time
   * @param traceHash of the run in virtual time, else 0
   */
  public record Result(Setup setup, String profile, long seed, Histogram roundTrips, EndpointStats server, EndpointStats client,
      CpuStats cpu, long traceHash) {
    public long p50Ns() {
      return roundTrips.getValueAtPercentile(50);
    }

    public long p99Ns() {
      return roundTrips.getValueAtPercentile(99);
    }

    public double meanNs() {
      return roundTrips.getMean();
    }

    @Override
    public String toString() {
      return "%s %s load %d: mean %.2f us, p50 %.2f, p99 %.2f, max %.2f".formatted(profile, setup.server(), setup.load(),
          meanNs() / 1e3, p50Ns() / 1e3, p99Ns() / 1e3, roundTrips.getMaxValue() / 1e3);
    }
  }

  private ReceiveContextExperiment() {}

  private static void check(String name, long value, long low, long high) {
    if (value < low || value > high) {
      throw new IllegalArgumentException(name + " is " + value + ", must be from " + low + " to " + high);
    }
  }

  /** Counts round trips; the first ones do not count. */
  private static final class Recorder implements LongConsumer {
    private final Histogram histogram = new Histogram(HIGHEST_NS, DIGITS);
    private int warmup;

    Recorder(int warmup) {
      this.warmup = warmup;
    }

    @Override
    public void accept(long ns) {
      if (warmup > 0) {
        warmup--;
      } else {
        histogram.recordValue(Math.min(ns, HIGHEST_NS));
      }
    }
  }

  /** Runs in virtual time. Same profile, seed and setup: same result. The calling thread runs it. */
  public static Result virtual(HardwareProfile profile, long seed, Setup setup) {
    try (VirtualFabric fabric = new VirtualFabric(seed, profile, LinkFaults.NONE, ConfigFactory.empty())) {
      Node client = fabric.addNode(NODE + "client");
      Node server = fabric.addNode(NODE + "server");
      VirtualHost host = VirtualHost.of(fabric, server.name());
      host.receiverComputes(setup.serverComputes());
      boolean[] done = new boolean[1];
      Recorder recorder = new Recorder(setup.warmup());
      PingPong game = new PingPong(client, setup.selectivePollNs() > 0 ? ReceiveContext.ISR : ReceiveContext.POLLING, server, setup,
          recorder, () -> done[0] = true);
      try (CpuLoad _ = host.load(setup.load())) {
        game.play();
        boolean ended = fabric.system().runUntil(() -> done[0], ROUND_MAX_NS * (setup.warmup() + setup.rounds()));
        finish(game.failure(), ended, setup);
      }
      return new Result(setup, profile.name(), seed, recorder.histogram, game.serverEndpoint().stats(),
          game.clientEndpoint().stats(), host.stats(), fabric.system().traceHash());
    }
  }

  /**
   * Runs in real time, in a fabric of its own.
   *
   * @param overrides settings over the usual configuration; may be empty
   * @throws InterruptedException if the calling thread is interrupted while it waits
   */
  public static Result real(Setup setup, Config overrides) throws InterruptedException {
    if (setup.serverComputes()) {
      throw new IllegalArgumentException("serverComputes is for virtual time: no thread of this JVM computes and takes signals");
    }
    try (LocalFabric fabric = LocalFabric.start(overrides)) {
      Node client = fabric.addNode(NODE + "client");
      Node server = fabric.addNode(NODE + "server");
      CountDownLatch done = new CountDownLatch(1);
      Recorder recorder = new Recorder(setup.warmup());
      PingPong game = new PingPong(client, ReceiveContext.ISR, server, setup, recorder, done::countDown);
      try (CpuLoad _ = ThreadLoad.start(setup.load())) {
        game.play();
        boolean ended = done.await(longestSeconds(setup), TimeUnit.SECONDS);
        finish(game.failure(), ended, setup);
      }
      EndpointStats serverStats = game.serverEndpoint().stats();
      EndpointStats clientStats = game.clientEndpoint().stats();
      close(game, setup);
      return new Result(setup, "real", 0, recorder.histogram, serverStats, clientStats, null, 0);
    }
  }

  /**
   * Runs in real time from a node of this JVM to one that offers a {@link PingPongService}, in another JVM or in this one.
   *
   * @param clientContext where the client waits for replies; a client that polls needs a processor of its own
   * @throws IllegalStateException if the server refuses, the connection breaks or the last reply does not come
   * @throws InterruptedException if the calling thread is interrupted while it waits
   */
  public static Result between(Node client, ReceiveContext clientContext, String server, Setup setup) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    AtomicReference<String> failure = new AtomicReference<>();
    Recorder recorder = new Recorder(setup.warmup());
    PingPongClient[] side = new PingPongClient[1];
    side[0] = new PingPongClient(client, clientContext, setup, recorder, () -> side[0].begin(), done::countDown, reason -> {
      failure.compareAndSet(null, reason);
      done.countDown();
    });
    try (CpuLoad _ = ThreadLoad.start(setup.load())) {
      side[0].connect(server, PingPongService.SERVICE, PingPongService.request(setup.server(), setup.messageBytes()));
      boolean ended = done.await(longestSeconds(setup), TimeUnit.SECONDS);
      finish(failure.get(), ended, setup);
      return new Result(setup, "real", 0, recorder.histogram, null, side[0].endpoint.stats(), null, 0);
    } finally {
      side[0].disconnect();
      side[0].close();
    }
  }

  /** One run of a setup in real time. */
  @FunctionalInterface
  public interface Trial {
    Result run(Setup setup) throws InterruptedException;
  }

  /** {@link #inTurns(List, int, Trial)} of {@link #real}. */
  public static List<Result> inTurns(List<Setup> setups, int turns, Config overrides) throws InterruptedException {
    return inTurns(setups, turns, setup -> real(setup, overrides));
  }

  /**
   * Runs several setups in real time in turns, so that what the machine does meanwhile, and what the JVM has compiled already, meets
   * all alike. The first turn warms up and does not count.
   *
   * @param turns turns that count, 1 to 1000
   * @return one result for each setup, in their order, with the round trips of all turns
   */
  public static List<Result> inTurns(List<Setup> setups, int turns, Trial trial) throws InterruptedException {
    check("turns", turns, 1, 1000);
    List<Result> merged = new ArrayList<>();
    for (Setup setup : setups) {
      merged.add(trial.run(setup));
    }
    merged.forEach(result -> result.roundTrips().reset());
    for (int turn = 0; turn < turns; turn++) {
      for (int i = 0; i < setups.size(); i++) {
        Result next = trial.run(setups.get(i));
        next.roundTrips().add(merged.get(i).roundTrips());
        merged.set(i, next);
      }
    }
    return merged;
  }

  /** A server in another context may still be arming after its last reply; it ends with the fabric. */
  private static void close(PingPong game, Setup setup) {
    if (setup.server() == ReceiveContext.POLLING || setup.server() == ReceiveContext.ISR) {
      game.serverEndpoint().close();
    }
    game.clientEndpoint().close();
  }

  private static long longestSeconds(Setup setup) {
    return 10L + setup.rounds() / 100;
  }

  private static void finish(String failure, boolean ended, Setup setup) {
    if (failure != null) {
      throw new IllegalStateException(setup + ": " + failure);
    }
    if (!ended) {
      throw new IllegalStateException(setup + " did not end in time");
    }
  }
}
