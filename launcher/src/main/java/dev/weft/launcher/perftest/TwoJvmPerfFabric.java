package dev.weft.launcher.perftest;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.NodeLink;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.ChildJvm;
import dev.weft.service.process.DriverPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.IoUtil;

/**
 * The near node here, the far one in a second JVM of a cluster of their own, with a media driver of their own. Closing it, or the end
 * of this JVM for whatever reason, ends the other one.
 */
public final class TwoJvmPerfFabric implements PerfFabric {
  /** Name of the far node. */
  public static final String FAR = "far";
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  /** The driver ends by itself when both JVMs were killed. */
  private static final Duration DRIVER_UNUSED = Duration.ofSeconds(5);
  private static final int START_SECONDS = 60;
  private static final int STOP_SECONDS = 5;
  /** Of the far JVM's log, in a message. */
  private static final int LOG_LINES = 12;

  private final Path directory;
  private ClusterFabric fabric;
  private ChildJvm peer;
  private Node near;
  private final Thread onInterrupt;
  private final AtomicReference<String> failure = new AtomicReference<>();

  /**
   * Starts everything and returns when the far node offers its services: perftest's, and a
   * {@link dev.weft.hca.experiments.PingPongService} and a {@link dev.weft.hca.experiments.NetVmService}.
   *
   * @param overrides settings over the usual configuration; the far JVM takes over the path MTU only
   * @throws CommandFailure if the driver or the far JVM cannot be started, with the end of the far JVM's log
   */
  public TwoJvmPerfFabric(Config overrides) {
    this(overrides, List.of());
  }

  /**
   * The same.
   *
   * @param more further arguments of the far JVM
   */
  public TwoJvmPerfFabric(Config overrides, List<String> more) {
    this(overrides, defaultParent(), more);
  }

  private static Path defaultParent() {
    return Files.isDirectory(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
  }

  /**
   * The same elsewhere. When this fails, nothing is left behind.
   *
   * @param parent where the directory of this run is made
   * @param more further arguments of the far JVM
   */
  TwoJvmPerfFabric(Config overrides, Path parent, List<String> more) {
    directory = makeDirectory(parent);
    onInterrupt = new Thread(this::stopProcesses, "weft-perftest-stop");
    try {
      DriverPlace.checkSpace(directory, overrides.withFallback(ConfigFactory.load()), 2);
      fabric = startFabric(overrides.withFallback(ConfigFactory.load()));
      near = fabric.addNode("near");
      peer = startPeer(overrides, more);
      Runtime.getRuntime().addShutdownHook(onInterrupt);
      awaitPeer();
    } catch (RuntimeException | Error e) {
      forgetInterrupt();
      stopProcesses();
      throw e;
    }
  }

  private static Path makeDirectory(Path parent) {
    try {
      return Files.createTempDirectory(parent, "weft-perftest-");
    } catch (IOException e) {
      throw new CommandFailure("no directory can be made in " + parent + ": " + e.getMessage(), e);
    }
  }

  private ClusterFabric startFabric(Config config) {
    MediaDriverSettings driver = MediaDriverSettings.of(config).withDirectory(directory.resolve("driver"))
        .withExitWhenUnusedAfter(DRIVER_UNUSED);
    try {
      return ClusterFabric.start(new ClusterFabric.Place("127.0.0.1", 0, List.of(), List.of("perftest"), driver, NodeLink.DIRECT,
          reason -> failure.compareAndSet(null, reason)), config);
    } catch (IOException e) {
      throw new CommandFailure("the media driver cannot be started: " + e.getMessage(), e);
    }
  }

  private ChildJvm startPeer(Config overrides, List<String> more) {
    List<String> arguments = new ArrayList<>(List.of("perftest-peer", "--seed=" + fabric.address(),
        "--driver=" + fabric.driver().directory(), "--parent=" + ProcessHandle.current().pid()));
    if (overrides.hasPath("weft.hca.path-mtu-max")) {
      arguments.add("--mtu=" + overrides.getInt("weft.hca.path-mtu-max"));
    }
    arguments.addAll(more);
    try {
      return ChildJvm.start("the far JVM", arguments, log());
    } catch (IOException e) {
      throw new CommandFailure("the far JVM cannot be started: " + e.getMessage(), e);
    }
  }

  /** Where files of this run may be; goes with it. */
  public Path directory() {
    return directory;
  }

  private Path log() {
    return directory.resolve("far.log");
  }

  /** The log goes with the directory, so its end goes into the message. */
  private String withLog(String problem) {
    try {
      List<String> lines = Files.readAllLines(log());
      return problem + "; it said last:\n" + String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    } catch (IOException e) {
      return problem + "; its log cannot be read: " + e.getMessage();
    }
  }

  private void awaitPeer() {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (fabric.directory().lookup(FAR).isEmpty() || !NearConnection.isOffered(near, FAR)) {
      if (!peer.isAlive()) {
        throw new CommandFailure(withLog(peer.obituary()));
      }
      if (System.nanoTime() > endNs) {
        throw new CommandFailure(withLog("the far JVM was not ready after " + START_SECONDS + " s"));
      }
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommandFailure("interrupted while waiting for the far JVM", e);
      }
    }
  }

  @Override
  public Node near() {
    return near;
  }

  @Override
  public String farName() {
    return FAR;
  }

  /** Where further devices of the near node are attached. */
  public DeviceHost host() {
    return fabric;
  }

  @Override
  public HardwareDispatcher dispatcher() {
    return fabric.dispatcher();
  }

  @Override
  public int jvms() {
    return 2;
  }

  @Override
  public long bytesCopiedByTrunks() {
    return fabric.trunkBytesCopied();
  }

  /** Ends and removes what there is of it; also when the far JVM failed or was never started. */
  private void stopProcesses() {
    try {
      if (peer != null) {
        peer.stop(STOP_SECONDS);
      }
    } finally {
      try {
        if (fabric != null) {
          fabric.close();
        }
      } finally {
        IoUtil.delete(directory.toFile(), true);
      }
    }
  }

  private void forgetInterrupt() {
    try {
      Runtime.getRuntime().removeShutdownHook(onInterrupt);
    } catch (IllegalStateException ending) {
      // The JVM ends: the hook runs.
    }
  }

  @Override
  public void close() {
    forgetInterrupt();
    stopProcesses();
    if (failure.get() != null) {
      throw new CommandFailure(failure.get());
    }
  }
}
