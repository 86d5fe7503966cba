package dev.weft.pvfs.daemon;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.pvfs.Errno;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A file access manager of an I/O daemon (seed 002 section 3.2): does jobs with the disk, on a thread that may wait, and tells the request manager. */
final class FileAccessActor {
  /** What it can be told. */
  sealed interface Command {}

  record Job(DiskJob job) implements Command {}

  private enum Signal implements Command {
    /** Those that have come by now. */
    WORK
  }

  enum Stop implements Command {
    INSTANCE
  }

  private final ActorContext<Command> context;
  private final FileAccess access;
  private final Consumer<DiskJob> done;
  private final List<DiskJob> jobs = new ArrayList<>();

  private FileAccessActor(ActorContext<Command> context, FileAccess access, Consumer<DiskJob> done) {
    this.context = context;
    this.access = access;
    this.done = done;
  }

  /**
   * @param done told of each job that is over, on this actor's thread
   * @param closed completed when all is on the disk and closed
   */
  static Behavior<Command> create(FileAccess access, Consumer<DiskJob> done, CompletableFuture<Void> closed) {
    return Behaviors.setup(context -> {
      FileAccessActor actor = new FileAccessActor(context, access, done);
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
        if (jobs.size() == 1) {
          context.getSelf().tell(Signal.WORK); // Behind those that have come already.
        }
      }
      case Signal signal -> work();
      case Stop stop -> {
        return Behaviors.stopped();
      }
    }
    return Behaviors.same();
  }

  private void work() {
    access.mark(jobs);
    for (DiskJob job : jobs) {
      try {
        access.run(job);
      } catch (RuntimeException defect) {
        context.getLog().error("{} of object {} ended in a defect", job.what, job.object, defect);
        job.errno = Errno.EIO;
      }
      done.accept(job);
    }
    jobs.clear();
    access.lookAtRoom();
  }

  private void onStopped(CompletableFuture<Void> closed) {
    try {
      jobs.forEach(access::run); // Nobody waits for them any more; what came was accepted.
      access.close();
      closed.complete(null);
    } catch (RuntimeException failed) {
      context.getLog().error("the directory of a daemon could not be closed", failed);
      closed.completeExceptionally(failed);
    }
  }
}
