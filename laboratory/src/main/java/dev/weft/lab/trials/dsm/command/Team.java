package dev.weft.lab.trials.dsm.command;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.node.DsmNode;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.JobJvms;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Nodes of one shared memory, each with some threads, in one or several JVMs.
 *
 * @param nodes number of nodes, 1 to 64
 * @param threads threads of each node
 * @param jvms JVMs of the nodes, 1 to {@code nodes}
 * @param context receive context of the protocol; null for that of the settings
 * @param engine engine; null for that of the settings
 * @param home placement of homes; null for that of the settings
 * @param mmu whether the threads of a node are in a process of their own, which accesses memory by plain loads and stores
 */
record Team(int nodes, int threads, int jvms, String context, String engine, String home, boolean mmu) {
  static final String JOB = "dsm";
  private static final String SPACE = "job";

  int size() {
    return nodes * threads;
  }

  private static String nodeName(int node) {
    return "dsm-" + node;
  }

  /** The settings of each JVM. */
  Config config() {
    Map<String, String> given = new HashMap<>();
    if (context != null) {
      given.put("weft.dsm.context", context);
    }
    if (engine != null) {
      given.put("weft.dsm.engine", engine);
    }
    if (home != null) {
      given.put("weft.dsm.home", home);
    }
    return ConfigFactory.parseMap(given).withFallback(ConfigFactory.load());
  }

  /**
   * Plays a task; returns the state of this JVM's nodes after it.
   *
   * @throws CommandFailure if a thread or a JVM fails
   */
  List<DsmSnapshot> play(Task task) {
    if (jvms == 1) {
      try (LocalFabric fabric = LocalFabric.start(config())) {
        return finish(new Share(fabric, fabric::addNode, 0, nodes, task), null);
      }
    }
    try (JobJvms job = new JobJvms(JOB, jvms, config(), jvm -> arguments(jvm, task))) {
      Share here = new Share(job.fabric(), job.fabric()::addNode, 0, JobJvms.first(1, nodes, jvms), task);
      Thread watch = job.watch(here::abort);
      try {
        return finish(here, job);
      } finally {
        watch.interrupt();
      }
    }
  }

  private static List<DsmSnapshot> finish(Share here, JobJvms job) {
    try {
      here.run();
      return here.snapshots;
    } catch (RuntimeException failed) {
      String lost = job == null ? null : job.lost();
      throw new CommandFailure(failed.getMessage() + (lost == null || failed.getMessage().contains(lost) ? "" : "; " + lost), failed);
    }
  }

  private List<String> arguments(int jvm, Task task) {
    int first = JobJvms.first(jvm, nodes, jvms);
    List<String> arguments = new ArrayList<>(List.of("dsm-peer", "--first=" + first,
        "--count=" + (JobJvms.first(jvm + 1, nodes, jvms) - first), "--nodes=" + nodes, "--threads=" + threads));
    if (context != null) {
      arguments.add("--context=" + context);
    }
    if (engine != null) {
      arguments.add("--engine=" + engine);
    }
    if (home != null) {
      arguments.add("--home=" + home);
    }
    if (mmu) {
      arguments.add("--mmu");
    }
    arguments.addAll(task.words());
    return arguments;
  }

  /** The nodes of one JVM. */
  final class Share implements dev.weft.service.process.JobPeer.Share {
    private final Fabric fabric;
    private final Function<String, Node> addNode;
    private final int first;
    private final int count;
    private final Task task;
    private final List<Thread> running = new ArrayList<>();
    private List<DsmSnapshot> snapshots = List.of();
    private Throwable failure;
    private String aborted;

    Share(Fabric fabric, Function<String, Node> addNode, int first, int count, Task task) {
      this.fabric = fabric;
      this.addNode = addNode;
      this.first = first;
      this.count = count;
      this.task = task;
    }

    @Override
    public void run() {
      List<DsmNode> members = new ArrayList<>();
      try {
        for (int node = first; node < first + count; node++) {
          members.add(DsmNode.join(fabric, addNode.apply(nodeName(node)), SPACE, nodeName(0)));
        }
        if (mmu) {
          runApplications(members);
        } else {
          runThreads(members);
        }
        snapshots = members.stream().map(DsmNode::inspect).toList();
      } catch (RuntimeException failed) {
        fail(failed);
      } finally {
        members.reversed().forEach(DsmNode::close);
      }
      if (aborted != null) {
        throw new IllegalStateException(aborted, failure);
      }
      if (failure != null) {
        throw new IllegalStateException(failure.getMessage() == null ? failure.toString() : failure.getMessage(), failure);
      }
    }

    private void runThreads(List<DsmNode> members) {
      synchronized (this) {
        for (int i = 0; i < count * threads && failure == null && aborted == null; i++) {
          DsmNode node = members.get(i / threads);
          int number = first * threads + i;
          running.add(Thread.ofPlatform().name("dsm-thread-" + number).start(() -> runThread(number, node)));
        }
      }
      for (Thread thread : running) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          abort("interrupted");
          Thread.currentThread().interrupt();
        }
      }
    }

    private void runApplications(List<DsmNode> members) {
      try (ApplicationProcesses applications = new ApplicationProcesses(members, task, first * threads, threads, size(), config())) {
        synchronized (this) {
          running.add(Thread.currentThread());
          if (aborted != null) {
            return;
          }
        }
        applications.await();
      }
    }

    /** No thread leaves before all have finished, because others may need minipages of this node. */
    private void runThread(int number, DsmNode node) {
      try {
        task.play(number, size(), node);
        node.barrier("team-end", size()).await();
      } catch (RuntimeException | Error failed) {
        fail(failed);
      }
    }

    private synchronized void fail(Throwable why) {
      if (failure == null) {
        failure = why;
        running.forEach(Thread::interrupt);
      }
    }

    @Override
    public synchronized void abort(String why) {
      if (aborted == null) {
        aborted = why;
        running.forEach(Thread::interrupt);
      }
    }
  }
}
