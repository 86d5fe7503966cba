package dev.weft.tripwire.mpi.command;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.NodeLink;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.ChildJvm;
import dev.weft.service.process.DriverPlace;
import dev.weft.tripwire.mpi.ErrorClass;
import dev.weft.tripwire.mpi.MpiException;
import dev.weft.tripwire.mpi.examples.Example;
import dev.weft.tripwire.mpi.examples.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.IoUtil;

/**
 * A job whose first ranks run here and the others in JVMs of their own, in a cluster of their own with a media driver of their own. All of
 * it ends with the job, or with this JVM.
 */
final class SeveralJvms implements AutoCloseable {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  /** The driver ends by itself when all JVMs were killed. */
  private static final Duration DRIVER_UNUSED = Duration.ofSeconds(5);
  private static final int STOP_SECONDS = 10;
  private static final int LOOK_MS = 100;
  /** Of a JVM's log, in a message. */
  private static final int LOG_LINES = 12;

  private final Path directory;
  private final List<ChildJvm> children = new ArrayList<>();
  private final Thread onInterrupt = new Thread(this::stopProcesses, "weft-mpi-stop");
  private ClusterFabric fabric;

  private SeveralJvms() {
    Path parent = Files.isDirectory(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    try {
      directory = Files.createTempDirectory(parent, "weft-mpi-");
    } catch (IOException e) {
      throw new CommandFailure("no directory can be made in " + parent + ": " + e.getMessage(), e);
    }
  }

  /**
   * Runs a job.
   *
   * @throws CommandFailure if a rank or a JVM fails, with the end of its log
   */
  static Outcome run(Example example, int ranks, int jvms) {
    try (SeveralJvms job = new SeveralJvms()) {
      Runtime.getRuntime().addShutdownHook(job.onInterrupt);
      return job.runJob(example, ranks, jvms);
    }
  }

  /** The first rank of a JVM; ranks are spread as evenly as can be. */
  static int firstRank(int jvm, int ranks, int jvms) {
    return (int) ((long) ranks * jvm / jvms);
  }

  private Outcome runJob(Example example, int ranks, int jvms) {
    DriverPlace.checkSpace(directory, ConfigFactory.load(), jvms);
    startFabric(ConfigFactory.load());
    for (int jvm = 1; jvm < jvms; jvm++) {
      int first = firstRank(jvm, ranks, jvms);
      children.add(startChild(jvm, List.of("mpi-peer", "--seed=" + fabric.address(), "--driver=" + fabric.driver().directory(),
          "--parent=" + ProcessHandle.current().pid(), "--first=" + first, "--count=" + (firstRank(jvm + 1, ranks, jvms) - first),
          "--ranks=" + ranks, example.name())));
    }
    Ranks here = new Ranks(fabric, fabric::addNode, example, 0, firstRank(1, ranks, jvms), ranks);
    Thread watch = Thread.ofPlatform().daemon().name("weft-mpi-watch").start(() -> watch(here));
    here.join();
    watch.interrupt();
    if (here.failure() != null) {
      String why = here.failure().toString();
      String lost = lostChild();
      throw new CommandFailure(lost == null ? why + slowChildren(here.failure()) : why.contains(lost) ? why : why + "; " + lost,
          here.failure().reason());
    }
    return here.outcome(0);
  }

  private void startFabric(Config config) {
    MediaDriverSettings driver = MediaDriverSettings.of(config).withDirectory(directory.resolve("driver"))
        .withExitWhenUnusedAfter(DRIVER_UNUSED);
    try {
      fabric = ClusterFabric.start(new ClusterFabric.Place("127.0.0.1", 0, List.of(), List.of("mpi"), driver, NodeLink.DIRECT,
          System.err::println), config);
    } catch (IOException e) {
      throw new CommandFailure("the media driver cannot be started: " + e.getMessage(), e);
    }
  }

  private ChildJvm startChild(int jvm, List<String> arguments) {
    try {
      return ChildJvm.start("JVM " + jvm, arguments, log(jvm));
    } catch (IOException e) {
      throw new CommandFailure("JVM " + jvm + " cannot be started: " + e.getMessage(), e);
    }
  }

  private Path log(int jvm) {
    return directory.resolve("jvm-" + jvm + ".log");
  }

  /** Ends the job when a JVM has ended before the ranks here have; one that has done its part ends when all have. */
  private void watch(Ranks here) {
    try {
      String lost = lostChild();
      while (lost == null) {
        Thread.sleep(LOOK_MS);
        lost = lostChild();
      }
      here.abort(lost);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The first JVM that failed, with the end of its log, which goes with the directory; null if none did. */
  private String lostChild() {
    for (int i = 0; i < children.size(); i++) {
      if (children.get(i).hasFailed()) {
        return children.get(i).obituary() + lastLines(log(i + 1));
      }
    }
    return null;
  }

  /** What the JVMs say that have not failed, where one of their ranks did not come in time. */
  private String slowChildren(Ranks.Failure failure) {
    StringBuilder said = new StringBuilder();
    if (failure.reason() instanceof MpiException mpi && mpi.errorClass() == ErrorClass.PROC_FAILED) {
      for (int i = 0; i < children.size(); i++) {
        said.append("; JVM ").append(i + 1).append(lastLines(log(i + 1)));
      }
    }
    return said.toString();
  }

  private static String lastLines(Path log) {
    try {
      // Where a JVM has failed says its message, and not the calls that led there.
      List<String> lines = Files.readAllLines(log).stream().filter(line -> !line.startsWith("\tat ")).toList();
      List<String> last = lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size());
      return last.isEmpty() ? "" : ", which says last: " + String.join("\n", last);
    } catch (IOException e) {
      return ", which cannot be read: " + e.getMessage();
    }
  }

  /** Ends and removes what there is of it. */
  private synchronized void stopProcesses() {
    try {
      children.forEach(child -> child.stop(STOP_SECONDS));
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

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(onInterrupt);
      stopProcesses();
    } catch (IllegalStateException ending) {
      // The JVM ends: the hook runs.
    }
  }
}
