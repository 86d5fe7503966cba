package dev.weft.lab.trials.pvfs;

import akka.actor.typed.Scheduler;
import akka.actor.typed.javadsl.AskPattern;
import com.sun.management.OperatingSystemMXBean;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.link.Transport;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.client.PvfsClientActor;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.Caller;
import dev.weft.service.CommandFailure;
import dev.weft.service.terminal.ProgressBar;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The common parts of measurements: clients of the running file system, files that are removed at the end, threads, and progress. */
final class Laboratory implements AutoCloseable {
  private static final double NS_PER_S = 1e9;
  private static final int PAGE_BYTES = 4096;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Fabric fabric;
  private final Scheduler scheduler;
  /** Null for the fabric. */
  private final Transport transport;
  private final Config config;
  private final String managerNode;
  private final ProgressBar progress;
  private final List<PvfsFileSystem> clients = new ArrayList<>();
  private final Map<PvfsFileSystem, Node> homes = new HashMap<>();
  private final List<String> paths = new ArrayList<>();
  private int nodes;

  /**
   * Begins without clients.
   *
   * @param fabric that gives clients threads and nodes
   * @param transport over which they reach the file system; null for this fabric
   */
  Laboratory(Fabric fabric, Scheduler scheduler, Transport transport, Config config, String managerNode, ProgressBar progress) {
    this.fabric = fabric;
    this.scheduler = scheduler;
    this.transport = transport;
    this.config = config;
    this.managerNode = managerNode;
    this.progress = progress;
  }

  /** Adds a client at its own node, with settings of {@code weft.pvfs.client} as lines of HOCON. It is closed at the end. */
  PvfsFileSystem client(String... settings) {
    String text = String.join("\n", Arrays.stream(settings).map(line -> "weft.pvfs.client." + line).toList());
    Node node = fabric.addNode("pvfs-bench-" + ProcessHandle.current().pid() + "-" + nodes++);
    try {
      PvfsFileSystem client = PvfsFileSystem.connect(fabric, node, "bench", managerNode, Caller.ROOT,
          ConfigFactory.parseString(text).withFallback(config), transport);
      clients.add(client);
      homes.put(client, node);
      return client;
    } catch (PvfsException silent) {
      throw new CommandFailure(silent.getMessage() + "; is the fabric one of 'weft pvfs up'?", silent);
    }
  }

  /** Closes a client early, with its node. */
  void leave(PvfsFileSystem client) {
    clients.remove(client);
    client.close();
  }

  /** Returns a name for a new file or directory, which is removed at the end. */
  String path(String what) {
    String path = "/.weft-bench-" + ProcessHandle.current().pid() + "-" + what;
    paths.add(path);
    return path;
  }

  /** Creates a file, or opens an existing one. */
  static PvfsFile open(PvfsFileSystem client, String path, StripingWish wish) throws PvfsException {
    return client.open(path, wish, 0600, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  /** Returns non-zero memory of a program, beginning at a page. */
  static MemorySegment memory(long bytes) {
    return Arena.ofAuto().allocate(bytes, PAGE_BYTES).fill((byte) 0x77);
  }

  /** Returns the state of a client. */
  ClientSnapshot state(PvfsFileSystem client) {
    return AskPattern.ask(client.data().actor(), PvfsClientActor.Inspect::new, PATIENCE, scheduler).toCompletableFuture().join();
  }

  /** Returns non-zero memory of the fabric, which JVMs of this host map. */
  MemorySegment sharedMemory(PvfsFileSystem client, long bytes) {
    return homes.get(client).hca().allocMemory(Arena.ofAuto(), bytes).fill((byte) 0x77);
  }

  void step(String what) {
    progress.step(what);
  }

  /** Runs work in so many threads, which begin together; returns the seconds that it took. */
  static double together(int threads, Work work) throws Exception {
    if (threads == 1) {
      long startNs = System.nanoTime();
      work.run(0);
      return (System.nanoTime() - startNs) / NS_PER_S;
    }
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Callable<Void>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int number = i;
        all.add(() -> {
          work.run(number);
          return null;
        });
      }
      long startNs = System.nanoTime();
      for (Future<Void> each : pool.invokeAll(all)) {
        each.get();
      }
      return (System.nanoTime() - startNs) / NS_PER_S;
    }
  }

  /** Warms up, without counting: once, and again until the time is over. */
  static void warmUp(BenchOptions options, Turn turn) throws Exception {
    long startNs = System.nanoTime();
    do {
      turn.run();
    } while (System.nanoTime() - startNs < options.warmUpSeconds * NS_PER_S);
  }

  /** One complete run of a measurement. */
  @FunctionalInterface
  interface Turn {
    void run() throws Exception;
  }

  /** The part of a measurement that one thread does. */
  @FunctionalInterface
  interface Work {
    void run(int thread) throws Exception;
  }

  /** Returns the processor time of this JVM so far, including its hardware threads. */
  static double processorSeconds() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / NS_PER_S;
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  /** Removes the files and closes the clients. */
  @Override
  public void close() {
    try {
      if (!clients.isEmpty()) {
        for (String path : paths) {
          remove(clients.getFirst(), path);
        }
      }
    } finally {
      clients.forEach(PvfsFileSystem::close);
    }
  }

  private static void remove(PvfsFileSystem client, String path) {
    try {
      if (client.attributes(path).isDirectory()) {
        client.rmdir(path);
      } else {
        client.unlink(path);
      }
    } catch (PvfsException gone) {
      // It was not created, or the file system has failed, which the measurement reports.
    }
  }
}
