package dev.weft.pvfs.daemon;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.FabricContext;
import dev.weft.pvfs.Costs;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.DaemonOp;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The actor of a file access manager (PVFS over InfiniBand, section 3.2): does jobs at the disk on a thread that may block, and reports to the
 * request manager.
 */
final class FileAccessActor {
  /** Messages to this actor. */
  sealed interface Command {}

  record Job(DiskJob job) implements Command {}

  private enum Signal implements Command {
    /** Do the jobs that have arrived by now. */
    WORK,
    /** The time of the current job is over. */
    OVER
  }

  enum Stop implements Command {
    INSTANCE
  }

  private final ActorContext<Command> context;
  private final FileAccess access;
  private final Consumer<DiskJob> done;
  private final Costs costs;
  private final FabricContext fabric;
  private final List<DiskJob> jobs = new ArrayList<>();
  /** The job that takes time now; null if there is none. */
  private DiskJob inHand;
  /** A WORK message is on its way. */
  private boolean isWorkDue;

  private FileAccessActor(ActorContext<Command> context, FileAccess access, Consumer<DiskJob> done, Costs costs, FabricContext fabric) {
    this.context = context;
    this.access = access;
    this.done = done;
    this.costs = costs;
    this.fabric = fabric;
  }

  /**
   * @param done gets each finished job, on this actor's thread
   * @param closed completed when everything is on the disk and closed
   */
  static Behavior<Command> create(FileAccess access, Consumer<DiskJob> done, CompletableFuture<Void> closed, Costs costs, FabricContext fabric) {
    return Behaviors.setup(context -> {
      FileAccessActor actor = new FileAccessActor(context, access, done, costs, fabric);
      access.lookAtRoom();
      return Behaviors.receive(Command.class)
          .onAnyMessage(actor::onMessage)
          .onSignal(PostStop.class, _ -> {
            actor.onStopped(closed);
            return Behaviors.same();
          })
          .build();
    });
  }

  static void send(ActorRef<Command> to, DiskJob job) {
    to.tell(new Job(job));
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case Job job -> {
        jobs.add(job.job());
        if (!isWorkDue && inHand == null) {
          isWorkDue = true;
          context.getSelf().tell(Signal.WORK); // Behind the jobs that have arrived already.
        }
      }
      case Signal signal -> onSignal(signal);
      case Stop stop -> {
        return Behaviors.stopped();
      }
    }
    return Behaviors.same();
  }

  private void onSignal(Signal signal) {
    switch (signal) {
      case WORK -> {
        isWorkDue = false;
        work();
      }
      case OVER -> onOver();
    }
  }

  private void onOver() {
    DiskJob over = inHand;
    inHand = null;
    isWorkDue = true;
    done.accept(over);
    fabric.timers().at(fabric.clock().nowNs(), context.getSelf(), Signal.WORK); // If both run on one thread, the request manager continues first.
  }

  private void work() {
    access.mark(jobs);
    int count = 0;
    while (count < jobs.size() && inHand == null) {
      run(jobs.get(count++));
    }
    jobs.subList(0, count).clear();
    access.lookAtRoom();
  }

  private void run(DiskJob job) {
    try {
      access.run(job);
    } catch (RuntimeException defect) {
      context.getLog().error("{} of object {} ended in a defect", job.what, job.object, defect);
      job.errno = Errno.EIO;
    }
    long ns = access.tookNs() + (job.data == null ? 0 : costs.fileNs(job.what == DaemonOp.WRITE, job.bytes()));
    if (ns == 0) {
      done.accept(job);
    } else {
      inHand = job;
      fabric.timers().at(fabric.clock().nowNs() + ns, context.getSelf(), Signal.OVER);
    }
  }

  private void onStopped(CompletableFuture<Void> closed) {
    try {
      jobs.forEach(access::run); // No answer is awaited any more, but the jobs were accepted.
      access.close();
      closed.complete(null);
    } catch (RuntimeException failed) {
      context.getLog().error("the directory of a daemon could not be closed", failed);
      closed.completeExceptionally(failed);
    }
  }
}
