package dev.weft.service.process;

import com.typesafe.config.Config;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.NodeLink;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.agrona.IoUtil;

/**
 * A job whose first share runs here and the others in JVMs of their own ({@link JobPeer}), in a cluster of their own with a media driver of their own.
 * All of it ends with the job, or with this JVM.
 */
public final class JobJvms implements AutoCloseable {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  /** The driver ends by itself when all JVMs were killed. */
  private static final Duration DRIVER_UNUSED = Duration.ofSeconds(5);
  private static final int STOP_SECONDS = 10;
  private static final int LOOK_MS = 100;
  /** Of a JVM's log, in a message. */
  private static final int LOG_LINES = 12;

  private final String job;
  private final Path directory;
  private final List<ChildJvm> children = new ArrayList<>();
  private final Thread onInterrupt;
  /** What ends from now on has been told to. */
  private volatile boolean isStopping;
  private ClusterFabric fabric;

  /**
   * Starts the fabric here and the other JVMs; these may need some seconds until they are a part of it.
   *
   * @param job names directories, threads and the cluster's role
   * @param jvms 1 or more
   * @param arguments command and options of a further JVM, from 1 to {@code jvms - 1}; what {@link JobPeer} needs is added
   * @throws CommandFailure if something cannot be started; nothing is left behind then
   */
  public JobJvms(String job, int jvms, Config config, IntFunction<List<String>> arguments) {
    this.job = job;
    this.directory = makeDirectory(job);
    this.onInterrupt = new Thread(this::stopProcesses, "weft-" + job + "-stop");
    Runtime.getRuntime().addShutdownHook(onInterrupt);
    try {
      DriverPlace.checkSpace(directory, config, jvms);
      startFabric(config);
      for (int jvm = 1; jvm < jvms; jvm++) {
        children.add(startChild(jvm, arguments.apply(jvm)));
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private static Path makeDirectory(String job) {
    Path parent = Files.isDirectory(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    try {
      return JobDirectories.make(parent, job);
    } catch (IOException e) {
      throw new CommandFailure("no directory can be made in " + parent + ": " + e.getMessage(), e);
    }
  }

  /** The first of {@code total} things that a JVM has a share of; they are spread as evenly as can be. */
  public static int first(int jvm, int total, int jvms) {
    return (int) ((long) total * jvm / jvms);
  }

  private void startFabric(Config config) {
    MediaDriverSettings driver = MediaDriverSettings.of(config).withDirectory(directory.resolve("driver"))
        .withExitWhenUnusedAfter(DRIVER_UNUSED);
    try {
      fabric = ClusterFabric.start(new ClusterFabric.Place("127.0.0.1", 0, List.of(), List.of(job), driver, NodeLink.DIRECT,
          System.err::println), config);
    } catch (IOException e) {
      throw new CommandFailure("the media driver cannot be started: " + e.getMessage(), e);
    }
  }

  private ChildJvm startChild(int jvm, List<String> words) {
    List<String> all = new ArrayList<>(words);
    all.addAll(1, List.of("--seed=" + fabric.address(), "--driver=" + fabric.driver().directory(),
        "--parent=" + ProcessHandle.current().pid()));
    try {
      return ChildJvm.start("JVM " + jvm, all, log(jvm));
    } catch (IOException e) {
      throw new CommandFailure("JVM " + jvm + " cannot be started: " + e.getMessage(), e);
    }
  }

  private Path log(int jvm) {
    return directory.resolve("jvm-" + jvm + ".log");
  }

  /** This JVM's part of the fabric. */
  public ClusterFabric fabric() {
    return fabric;
  }

  /**
   * Tells {@code lost} why, once, when a JVM has failed; one that has done its share ends when it is told to.
   *
   * @return the thread that looks; interrupt it when the job is done
   */
  public Thread watch(Consumer<String> lost) {
    return Thread.ofPlatform().daemon().name("weft-" + job + "-watch").start(() -> {
      try {
        String why = lost();
        while (why == null) {
          Thread.sleep(LOOK_MS);
          why = lost();
        }
        lost.accept(why);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
  }

  /** The first JVM that failed, with the end of its log, which goes with the directory; null if none did, or all are told to end. */
  public String lost() {
    for (int i = 0; i < children.size() && !isStopping; i++) {
      if (children.get(i).hasFailed()) {
        return children.get(i).ending() + lastLines(log(i + 1));
      }
    }
    return null;
  }

  /** What the JVMs say last that have not failed; for where one of them is slow. */
  public String said() {
    StringBuilder said = new StringBuilder();
    for (int i = 0; i < children.size(); i++) {
      said.append("; JVM ").append(i + 1).append(lastLines(log(i + 1)));
    }
    return said.toString();
  }

  private static String lastLines(Path log) {
    try {
      // Where a JVM has failed says its message, and not the calls that led there.
      List<String> lines = Files.readAllLines(log).stream().filter(line -> !line.startsWith("\tat ")).toList();
      List<String> last = lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size());
      return last.isEmpty() ? ", and said nothing" : ", and says last: " + String.join("\n", last);
    } catch (IOException e) {
      return ", and its log cannot be read: " + e.getMessage();
    }
  }

  /** Ends and removes what there is of it. */
  private synchronized void stopProcesses() {
    isStopping = true;
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
