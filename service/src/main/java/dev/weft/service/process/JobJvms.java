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
 * The JVMs of a job: its first share runs here, each other share in a further JVM ({@link JobPeer}). The job has its own cluster and media driver.
 * Everything ends with the job or with this JVM.
 */
public final class JobJvms implements AutoCloseable {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  /** The driver ends by itself when all JVMs were killed. */
  private static final Duration DRIVER_UNUSED = Duration.ofSeconds(5);
  private static final int STOP_SECONDS = 10;
  private static final int LOOK_MS = 100;
  /** The number of lines of a JVM's log in a message. */
  private static final int LOG_LINES = 12;

  private final String job;
  private final Path directory;
  private final List<ChildJvm> children = new ArrayList<>();
  private final Thread onInterrupt;
  /** Set when this class stops the JVMs; from then on the end of a JVM is no failure. */
  private volatile boolean isStopping;
  private ClusterFabric fabric;

  /**
   * Starts the fabric here and the other JVMs. The other JVMs may need some seconds to join it.
   *
   * @param job names directories, threads and the cluster's role
   * @param jvms number of JVMs, 1 or more
   * @param arguments returns the command and options of a further JVM, from 1 to {@code jvms - 1}; the options of {@link JobPeer} are added
   * @throws CommandFailure if something cannot start; then nothing remains
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
      throw new CommandFailure("cannot create a directory in " + parent + ": " + e.getMessage(), e);
    }
  }

  /** Returns the index of a JVM's first item if {@code total} items are spread over the JVMs as evenly as possible. */
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
   * Calls {@code lost} once with the reason when a JVM has failed. A JVM that has finished its share keeps running until this class stops it.
   *
   * @return the watching thread; interrupt it when the job is done
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

  /** Returns a message about the first failed JVM with the end of its log; null if none has failed or this class is stopping them. */
  public String lost() {
    for (int i = 0; i < children.size() && !isStopping; i++) {
      if (children.get(i).hasFailed()) {
        return children.get(i).ending() + lastLines(log(i + 1));
      }
    }
    return null;
  }

  /** Returns the last log lines of each further JVM, for a message about a slow JVM. */
  public String said() {
    StringBuilder said = new StringBuilder();
    for (int i = 0; i < children.size(); i++) {
      said.append("; JVM ").append(i + 1).append(lastLines(log(i + 1)));
    }
    return said.toString();
  }

  private static String lastLines(Path log) {
    try {
      // The exception's message says where a JVM has failed; the stack trace does not help.
      List<String> lines = Files.readAllLines(log).stream().filter(line -> !line.startsWith("\tat ")).toList();
      List<String> last = lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size());
      return last.isEmpty() ? ", and said nothing" : ", and says last: " + String.join("\n", last);
    } catch (IOException e) {
      return ", and its log cannot be read: " + e.getMessage();
    }
  }

  /** Stops the JVMs and the fabric, then deletes the directory. */
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
      // The JVM is ending, so the shutdown hook does the work.
    }
  }
}
