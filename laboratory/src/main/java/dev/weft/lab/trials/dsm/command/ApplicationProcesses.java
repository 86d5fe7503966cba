package dev.weft.lab.trials.dsm.command;

import com.typesafe.config.Config;
import dev.weft.dsm.mmu.MmuException;
import dev.weft.dsm.mmu.MmuServer;
import dev.weft.dsm.mmu.MmuSettings;
import dev.weft.dsm.node.DsmNode;
import dev.weft.fabric.files.FileTree;
import dev.weft.service.process.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Processes that play a task, one for each node of this JVM; the nodes serve them by page protection. */
final class ApplicationProcesses implements AutoCloseable {
  static final String RESULTS = "results";
  private static final int STOP_SECONDS = 5;

  private final Task task;
  private final boolean hasFirst;
  private final Path directory;
  private final List<MmuServer> servers = new ArrayList<>();
  private final List<ChildJvm> processes = new ArrayList<>();
  private final CountDownLatch left;
  private boolean isFailed;

  /**
   * Starts the processes.
   *
   * @param first number of the first thread
   * @param threads threads of each node
   * @param size threads of all nodes, in all JVMs
   * @throws IllegalStateException if this machine forbids it
   */
  ApplicationProcesses(List<DsmNode> nodes, Task task, int first, int threads, int size, Config config) {
    this.task = task;
    this.hasFirst = first == 0;
    this.left = new CountDownLatch(nodes.size());
    try {
      directory = Files.createTempDirectory("weft-dsm-");
    } catch (IOException refused) {
      throw new UncheckedIOException("cannot create a directory: " + refused.getMessage(), refused);
    }
    try {
      for (int i = 0; i < nodes.size(); i++) {
        Path served = directory.resolve(Integer.toString(i));
        servers.add(MmuServer.start(nodes.get(i), MmuSettings.from(config), served));
        List<String> arguments = new ArrayList<>(List.of("dsm-application", "--mmu=" + served, "--first=" + (first + i * threads), "--count=" + threads,
            "--size=" + size));
        arguments.addAll(task.words());
        ChildJvm process = ChildJvm.start("the application of node " + nodes.get(i).node(), arguments, directory.resolve("log-" + i));
        processes.add(process);
        process.whenEnded(() -> ended(process));
      }
    } catch (IOException | MmuException refused) {
      close();
      throw new IllegalStateException(refused.getMessage(), refused);
    }
  }

  /** Ends the wait if a process has failed, because the others would wait for it. */
  private void ended(ChildJvm process) {
    synchronized (this) {
      isFailed |= process.hasFailed();
      while (isFailed && left.getCount() > 0) {
        left.countDown();
      }
    }
    left.countDown();
  }

  /**
   * Waits for the end of the processes, and passes their results to the task.
   *
   * @throws IllegalStateException if one fails, or this thread is interrupted
   */
  void await() {
    try {
      left.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while applications run", e);
    }
    for (ChildJvm process : processes) {
      if (process.hasFailed()) {
        throw new IllegalStateException(process.obituaryWithReason());
      }
    }
    if (hasFirst) {
      try {
        task.accept(Files.readAllLines(directory.resolve("0").resolve(RESULTS)));
      } catch (IOException none) {
        throw new UncheckedIOException("the first application has left no results: " + none.getMessage(), none);
      }
    }
  }

  @Override
  public void close() {
    boolean wasInterrupted = Thread.interrupted();
    processes.stream().filter(ChildJvm::isAlive).forEach(process -> process.stop(STOP_SECONDS));
    servers.forEach(MmuServer::close);
    synchronized (this) {
      if (!isFailed) {
        delete();
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void delete() {
    try {
      FileTree.delete(directory);
    } catch (IOException left) {
      throw new UncheckedIOException(directory + " is left: " + left.getMessage(), left);
    }
  }
}
