package dev.weft.lab.trials.mpi.command;

import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.node.Node;
import dev.weft.lab.trials.mpi.Example;
import dev.weft.lab.trials.mpi.Outcome;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.mpi.ErrorClass;
import dev.weft.tripwire.mpi.Mpi;
import dev.weft.tripwire.mpi.MpiException;
import dev.weft.tripwire.mpi.MpiSettings;
import dev.weft.tripwire.mpi.Waiting;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Ranks of a job that are threads of this JVM, each at a node of its own. */
final class Ranks {
  /** The first failure of a rank. */
  record Failure(int rank, Exception reason) {
    @Override
    public String toString() {
      String what = reason instanceof MpiException mpi ? mpi.errorClass() + ": " + mpi.getMessage() : reason.toString();
      return "rank " + rank + " failed: " + what;
    }
  }

  private final List<Thread> threads = new ArrayList<>();
  private final Mpi[] running;
  private final Outcome[] outcomes;
  private final int first;
  private String aborted;
  private Failure failure;

  /**
   * Starts ranks; they wait for the others of the job.
   *
   * @param addNode adds a node with a name to the fabric
   * @param first number of the first rank here
   * @param count number of ranks here
   * @param total number of ranks of the job
   */
  Ranks(DeviceHost fabric, Function<String, Node> addNode, Example example, int first, int count, int total) {
    this.first = first;
    outcomes = new Outcome[count];
    running = new Mpi[count];
    MpiSettings settings = MpiSettings.from(fabric.config());
    List<String> nodes = IntStream.range(0, total).mapToObj(Ranks::nodeOf).toList();
    List<Nic> nics = nodes.subList(first, first + count).stream().map(node -> NicDevice.start(fabric, addNode.apply(node))).toList();
    for (int i = 0; i < count; i++) {
      int index = i;
      threads.add(Thread.ofPlatform().name(nodeOf(first + i)).unstarted(() -> {
        try {
          outcomes[index] = run(fabric, nics.get(index), settings, first + index, nodes, example);
        } catch (RuntimeException | Error failed) {
          fail(first + index, failed);
        }
      }));
    }
    threads.forEach(Thread::start);
  }

  private static String nodeOf(int rank) {
    return "rank-" + rank;
  }

  private Outcome run(DeviceHost fabric, Nic nic, MpiSettings settings, int rank, List<String> nodes, Example example) {
    Mpi mpi = Mpi.init(nic, Waiting.realTime(fabric, settings.spinNs()), settings, rank, nodes);
    begun(rank, mpi);
    try {
      Outcome outcome = example.run(mpi.world());
      mpi.close();
      return outcome;
    } catch (RuntimeException | Error failed) {
      fail(rank, failed); // Before the others learn of it and fail, too.
      throw failed;
    } finally {
      mpi.giveUp(); // No effect after a success.
    }
  }

  private synchronized void begun(int rank, Mpi mpi) {
    running[rank - first] = mpi;
    if (aborted != null) {
      mpi.abort(aborted);
    }
  }

  private synchronized void fail(int rank, Throwable thrown) {
    if (failure == null) {
      Failure newFailure = new Failure(rank,
          thrown instanceof MpiException || thrown instanceof NicException ? (Exception) thrown : new IllegalStateException(thrown));
      failure = aborted == null ? newFailure
          : new Failure(newFailure.rank(), new MpiException(ErrorClass.PROC_FAILED, "the job was ended: " + aborted));
      abort(newFailure.toString());
    }
  }

  /** Ends the job for the ranks here, which notify those of other JVMs. Any thread. */
  synchronized void abort(String reason) {
    if (aborted == null) {
      aborted = reason;
      for (int i = 0; i < running.length; i++) {
        if (running[i] != null) {
          running[i].abort(reason);
        } else {
          threads.get(i).interrupt(); // The rank waits for the others to join.
        }
      }
    }
  }

  /** Waits for the end of all ranks; an interrupt ends them. */
  void join() {
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          abort("interrupted");
        }
      }
    }
  }

  /** The first failure, null if there is none. */
  synchronized Failure failure() {
    return failure;
  }

  /** The result of a rank; null if it failed. Valid after {@link #join}. */
  Outcome outcome(int rank) {
    return outcomes[rank - first];
  }
}
