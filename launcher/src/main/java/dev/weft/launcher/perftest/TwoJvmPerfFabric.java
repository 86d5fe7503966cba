package dev.weft.launcher.perftest;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.NodeLink;
import dev.weft.launcher.CommandFailure;
import dev.weft.launcher.cluster.ChildJvm;
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
final class TwoJvmPerfFabric implements PerfFabric {
  static final String FAR = "far";
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  /** The driver ends by itself when both JVMs were killed. */
  private static final Duration DRIVER_UNUSED = Duration.ofSeconds(5);
  private static final int START_SECONDS = 60;
  private static final int STOP_SECONDS = 5;

  private final Path directory;
  private final ClusterFabric fabric;
  private final ChildJvm peer;
  private final Node near;
  private final Thread onInterrupt;
  private final AtomicReference<String> failure = new AtomicReference<>();

  TwoJvmPerfFabric(Config overrides) {
    Config config = overrides.withFallback(ConfigFactory.load());
    try {
      directory = Files.createTempDirectory(Files.isDirectory(SHARED_MEMORY) ? SHARED_MEMORY
          : Path.of(System.getProperty("java.io.tmpdir")), "weft-perftest-");
      MediaDriverSettings driver = MediaDriverSettings.of(config).withDirectory(directory.resolve("driver"))
          .withExitWhenUnusedAfter(DRIVER_UNUSED);
      fabric = ClusterFabric.start(new ClusterFabric.Place("127.0.0.1", 0, List.of(), List.of("perftest"), driver, NodeLink.DIRECT,
          reason -> failure.compareAndSet(null, reason)), config);
    } catch (IOException e) {
      throw new CommandFailure("the media driver cannot be started: " + e.getMessage(), e);
    }
    onInterrupt = new Thread(this::stopProcesses, "weft-perftest-stop");
    ChildJvm started = null;
    try {
      near = fabric.addNode("near");
      started = startPeer(overrides);
      peer = started;
      Runtime.getRuntime().addShutdownHook(onInterrupt);
      awaitPeer();
    } catch (RuntimeException | Error e) {
      if (started != null) {
        started.stop(STOP_SECONDS);
      }
      fabric.close();
      throw e;
    }
  }

  private ChildJvm startPeer(Config overrides) {
    List<String> arguments = new ArrayList<>(List.of("perftest-peer", "--seed=" + fabric.address(),
        "--driver=" + fabric.driver().directory(), "--parent=" + ProcessHandle.current().pid()));
    if (overrides.hasPath("weft.hca.path-mtu-max")) {
      arguments.add("--mtu=" + overrides.getInt("weft.hca.path-mtu-max"));
    }
    try {
      return ChildJvm.start("the far JVM", arguments, log());
    } catch (IOException e) {
      throw new CommandFailure("the far JVM cannot be started: " + e.getMessage(), e);
    }
  }

  private Path log() {
    return directory.resolve("far.log");
  }

  private void awaitPeer() {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (fabric.directory().lookup(FAR).isEmpty() || !NearConnection.isOffered(near, FAR)) {
      if (!peer.isAlive()) {
        throw new CommandFailure(peer.obituary());
      }
      if (System.nanoTime() > endNs) {
        throw new CommandFailure("the far JVM was not ready after " + START_SECONDS + " s; its log is " + log());
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

  @Override
  public HardwareDispatcher dispatcher() {
    return fabric.dispatcher();
  }

  @Override
  public int jvms() {
    return 2;
  }

  @Override
  public int copiesOnTheWay() {
    return 1;
  }

  private void stopProcesses() {
    peer.stop(STOP_SECONDS);
    fabric.close();
    IoUtil.delete(directory.toFile(), true);
  }

  @Override
  public void close() {
    peer.stop(STOP_SECONDS);
    fabric.close();
    Runtime.getRuntime().removeShutdownHook(onInterrupt);
    IoUtil.delete(directory.toFile(), true);
    if (failure.get() != null) {
      throw new CommandFailure(failure.get());
    }
  }
}
