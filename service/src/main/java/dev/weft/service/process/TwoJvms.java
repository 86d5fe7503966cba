package dev.weft.service.process;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.NodeLink;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.IoUtil;

/**
 * Two nodes in two JVMs: the near node here, the far node in a second JVM. They have their own cluster and media driver. {@link #close}, or the end of
 * this JVM for any reason, ends the second JVM.
 */
public final class TwoJvms implements AutoCloseable {
  /** The name of the far node. */
  public static final String FAR = "far";
  static final String ROLE = "two-jvms";
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  /** The driver ends by itself when both JVMs were killed. */
  private static final Duration DRIVER_UNUSED = Duration.ofSeconds(5);
  private static final int START_SECONDS = 180;
  private static final int ANSWER_SECONDS = 60;
  private static final int STOP_SECONDS = 5;
  /** The number of lines of the far JVM's log in a message. */
  private static final int LOG_LINES = 12;

  private final Path directory;
  private ClusterFabric fabric;
  private ChildJvm peer;
  private Node near;
  private final Thread onInterrupt;
  private final AtomicReference<String> failure = new AtomicReference<>();

  /**
   * Starts everything and returns when the far JVM has started all its services.
   *
   * @param command the far JVM's command, which runs a {@link FarJvm}
   * @param overrides settings over the usual configuration; the far JVM takes over only the path MTU
   * @param more further arguments of the far JVM
   * @throws CommandFailure if the driver or the far JVM cannot start, with the end of the far JVM's log
   */
  public TwoJvms(String command, Config overrides, List<String> more) {
    this(command, overrides, defaultParent(), more);
  }

  private static Path defaultParent() {
    return Files.isDirectory(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
  }

  /**
   * Like {@link #TwoJvms(String, Config, List)}, with a choice of the directory. If it fails, nothing remains.
   *
   * @param parent the directory in which the directory of this run is created
   */
  public TwoJvms(String command, Config overrides, Path parent, List<String> more) {
    directory = makeDirectory(parent);
    onInterrupt = new Thread(this::stopProcesses, "weft-two-jvms-stop");
    try {
      DriverPlace.checkSpace(directory, overrides.withFallback(ConfigFactory.load()), 2);
      fabric = startFabric(overrides.withFallback(ConfigFactory.load()));
      near = fabric.addNode("near");
      peer = startPeer(command, overrides, more);
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
      return Files.createTempDirectory(parent, "weft-two-jvms-");
    } catch (IOException e) {
      throw new CommandFailure("cannot create a directory in " + parent + ": " + e.getMessage(), e);
    }
  }

  private ClusterFabric startFabric(Config config) {
    MediaDriverSettings driver = MediaDriverSettings.of(config).withDirectory(directory.resolve("driver"))
        .withExitWhenUnusedAfter(DRIVER_UNUSED);
    try {
      return ClusterFabric.start(new ClusterFabric.Place("127.0.0.1", 0, List.of(), List.of(ROLE), driver, NodeLink.DIRECT,
          reason -> failure.compareAndSet(null, reason)), config);
    } catch (IOException e) {
      throw new CommandFailure("the media driver cannot be started: " + e.getMessage(), e);
    }
  }

  private ChildJvm startPeer(String command, Config overrides, List<String> more) {
    List<String> arguments = new ArrayList<>(List.of(command, "--seed=" + fabric.address(),
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

  /** The directory for files of this run; deleted at its end. */
  public Path directory() {
    return directory;
  }

  private Path log() {
    return directory.resolve("far.log");
  }

  /** Adds the end of the log to the message, because the log is deleted with the directory. */
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
    while (fabric.directory().lookup(FAR).isEmpty() || !isReady()) {
      if (!peer.isAlive()) {
        throw new CommandFailure(withLog(peer.ending()));
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

  /** The near node. */
  public Node near() {
    return near;
  }

  /** Whether the far JVM is ready. Its node appears in the fabric's directory shortly before its services start. */
  private boolean isReady() {
    ProtectionDomain pd = near.hca().allocPd();
    CompletionQueue cq = near.hca().createCq(1, ReceiveContext.POLLING, null);
    QueuePair stub = near.hca().createQp(pd, QpInitAttr.of(cq, 1));
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    try {
      near.cm().connect(FAR, FarJvm.READY_SERVICE, stub, ConnectionOptions.DEFAULT, new byte[0], new ConnectionObserver() {
        @Override
        public void onEstablished(Connection connection, byte[] privateData) {
          answer.completeExceptionally(new IllegalStateException(FarJvm.READY_SERVICE + " accepted a connection"));
        }

        @Override
        public void onRejected(RejectReason reason, byte[] privateData) {
          answer.complete(reason == RejectReason.CONSUMER);
        }

        @Override
        public void onDisconnected(Connection connection, boolean nodeLost) {
          answer.complete(false);
        }
      });
      return answer.completeOnTimeout(false, ANSWER_SECONDS, TimeUnit.SECONDS).join();
    } finally {
      near.hca().destroyQp(stub);
      near.hca().destroyCq(cq);
      near.hca().deallocPd(pd);
    }
  }

  /** The host to which further devices of the near node are attached. */
  public DeviceHost host() {
    return fabric;
  }

  /** The hardware dispatcher of the near node. */
  public HardwareDispatcher dispatcher() {
    return fabric.dispatcher();
  }

  /** Bytes of payload that this JVM's trunks have copied so far. Not on the hardware thread. */
  public long bytesCopiedByTrunks() {
    return fabric.trunkBytesCopied();
  }

  /** Stops the JVMs and deletes the directory; also if the far JVM has failed or never started. */
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
      // The JVM is ending, so the shutdown hook does the work.
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
