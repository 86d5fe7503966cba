package dev.weft.lab.sim.pvfs;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.hca.node.RoleContext;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.client.LossWatch;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** A program of a client: one operation after another. A role of its node, so a fault that stops the node stops it, too. */
final class PvfsProgram {
  /** An open file. */
  static final class Use {
    final long inode;
    final FileHistory history;
    final LossWatch losses;
    final ToldLosses.Reader reader;
    final long openedNs;
    boolean isWritten;

    Use(long inode, FileHistory history, DataClient data, long opened, long openedNs) {
      this.inode = inode;
      this.history = history;
      this.openedNs = openedNs;
      this.losses = data.watch(inode);
      this.reader = new ToldLosses.Reader(data, opened);
    }
  }

  private enum Command {
    GO_ON
  }

  private static final long AGAIN_NS = 50_000_000L;
  private static final byte POISON = 0x5a;

  private final PvfsRun run;
  private final PvfsHost host;
  private final String name;
  private final List<Step> steps;
  private final MemorySegment[] memory = new MemorySegment[2];
  /** The shared files; {@link #own} is its own file, if it has one. */
  private final List<Use> shared = new ArrayList<>();
  private Use own;
  private final LockSteps locks;
  private ActorRef<Command> self;
  private final ArrayDeque<Integer> toOpen = new ArrayDeque<>();
  private int next;
  private boolean isWaiting;
  private boolean isBusy;
  private String doing = "begins";

  PvfsProgram(PvfsRun run, PvfsHost host, String name, List<Step> steps, MemorySegment memory) {
    this.run = run;
    this.host = host;
    this.name = name;
    this.steps = steps;
    this.locks = new LockSteps(run, host, name + "/" + host.incarnation, 1 + host.programs.size());
    this.memory[0] = memory.asSlice(0, StepPlanner.CHUNK_BYTES);
    this.memory[1] = memory.asSlice(StepPlanner.CHUNK_BYTES, StepPlanner.BYTES_MAX);
  }

  void start() {
    self = host.node.spawnRole(Behaviors.receiveMessage(_ -> {
      goOn();
      return Behaviors.same();
    }), name, RoleContext.ISR);
    run.watch(self, () -> host.isDown);
    for (int i = 0; i < run.files().shared().size(); i++) {
      shared.add(null);
      toOpen.add(i);
    }
    self.tell(Command.GO_ON);
  }

  boolean isDone() {
    return next == steps.size() && !isWaiting && !isBusy;
  }

  List<Step> left() {
    return steps.subList(next, steps.size());
  }

  @Override
  public String toString() {
    return name + " " + doing + " (" + next + " of " + steps.size() + ")";
  }

  // The course.

  private void goOn() {
    if (host.isDown) {
      return;
    }
    if (!toOpen.isEmpty()) {
      open(toOpen.peek());
      return;
    }
    if (isWaiting) {
      isWaiting = false;
      isBusy = true;
      begin(steps.get(next++));
    } else if (next < steps.size()) {
      isWaiting = true;
      after(steps.get(next).thinkNs());
    }
  }

  private void after(long ns) {
    host.node.context().timers().at(run.nowNs() + ns, self, Command.GO_ON);
  }

  private void done(String what) {
    doing = what;
    isBusy = false;
    run.onEnd(name, what);
    self.tell(Command.GO_ON);
  }

  private void open(int index) {
    PvfsFiles.Shared file = run.files().shared().get(index);
    doing = "opens " + file.history();
    ask(MetaRequest.of(MetaOp.OPEN, Caller.ROOT, file.inode(), 3), reply -> {
      if (reply.errno() == Errno.OK) {
        shared.set(index, use(file.inode(), file.history()));
        toOpen.poll();
        self.tell(Command.GO_ON);
      } else {
        run.errors().checkMeta(name + " opening " + file.inode(), reply.errno());
        after(AGAIN_NS);
      }
    });
  }

  private Use use(long inode, FileHistory history) {
    return new Use(inode, history, host.data, run.tick(), run.nowNs());
  }

  private void begin(Step step) {
    Use use = step.file() >= 0 ? shared.get(step.file() % shared.size()) : own != null ? own : shared.getFirst();
    doing = step.toString();
    run.onBegin(name, step);
    switch (step.kind()) {
      case READ -> read(step, use, 1);
      case READ_LIST -> read(step, use, 2);
      case WRITE -> write(step, use, 1);
      case WRITE_LIST -> write(step, use, 2);
      case TRUNCATE -> truncate(step, use);
      case CUT -> cut(step, use);
      case PUNCH -> punch(step, use);
      case SIZE -> size(use);
      case ATTRIBUTES -> attributes(use);
      case SYNC -> sync(use);
      case REOPEN -> close(use, () -> {
        if (use == own) {
          own = null;
        } else {
          toOpen.add(shared.indexOf(use));
        }
      });
      case CREATE -> create(step);
      case CLOSE -> closeOwn();
      case MKDIR, LINK, UNLINK, RMDIR, RENAME, LOOKUP -> name(step);
      case LIST -> list(step);
      case LOCK -> locks.lock(step, inode(step), this::done);
      case LOCK_WAIT -> locks.await(step, inode(step), this::done);
      case UNLOCK -> locks.unlock(step, inode(step), this::done);
    }
  }

  private long inode(Step step) {
    return run.files().shared().get(step.file()).inode();
  }

  // Data.

  private void data(DaemonOp op, Use use, long[] offsets, long[] lengths, Consumer<IoTask> then) {
    boolean moves = op == DaemonOp.READ || op == DaemonOp.WRITE;
    MemorySegment[] of = new MemorySegment[moves ? lengths.length : 0];
    for (int i = 0; i < of.length; i++) {
      of[i] = memory[i].asSlice(0, lengths[i]);
    }
    IoTask begun = host.data.begin(op, use.inode, use.history.striping(), offsets, lengths, of, task -> {
      if (!host.isDown) {
        then.accept(task);
      }
    });
    if (begun == null) {
      run.violations().add(name + " could not begin " + op + ": as many as may be are under way");
    }
  }

  private void ended(String what, IoTask task) {
    run.errors().checkData(name + " " + doing, task.errno());
    done(what + " " + Errno.name(task.errno()));
  }

  private static long[] offsets(Step step, int ranges) {
    return ranges == 1 ? new long[] {step.offset()} : new long[] {step.offset(), step.offset() + step.bytes() + step.gap()};
  }

  private static long[] lengths(Step step, int ranges) {
    return ranges == 1 ? new long[] {step.bytes()} : new long[] {step.bytes(), step.bytes()};
  }

  private void read(Step step, Use use, int ranges) {
    long[] offsets = offsets(step, ranges);
    long begin = run.tick();
    for (int i = 0; i < ranges; i++) {
      memory[i].asSlice(0, step.bytes()).fill(POISON);
    }
    data(DaemonOp.READ, use, offsets, lengths(step, ranges), task -> {
      long end = run.tick();
      if (task.errno() == Errno.OK) {
        boolean isShort = task.bytes() < (long) ranges * step.bytes();
        for (int i = 0; i < ranges; i++) {
          long had = isShort ? Math.clamp(task.fileBytes() - offsets[i], 0, step.bytes()) : step.bytes();
          use.history.check(name, offsets[i], memory[i].asSlice(0, step.bytes()), had, begin, end);
          use.history.checkReach(name, had == 0 ? 0 : offsets[i] + had, begin, end);
        }
        if (isShort) {
          run.marks().add(PvfsMarks.SHORT);
          use.history.checkLength(name, task.fileBytes(), begin, end);
        }
      }
      ended("read", task);
    });
  }

  private void write(Step step, Use use, int ranges) {
    int id = run.files().nextId();
    long[] offsets = offsets(step, ranges);
    long[] lengths = lengths(step, ranges);
    for (int i = 0; i < ranges; i++) {
      FileHistory.fill(memory[i].asSlice(0, step.bytes()), id, offsets[i]);
    }
    use.isWritten = true;
    FileHistory.Change change = made(use, use.history.write(id, offsets, lengths, run.tick()));
    data(DaemonOp.WRITE, use, offsets, lengths, task -> changed("write", change, task));
  }

  /** Records a change by this client, unlike one by the manager. */
  private FileHistory.Change made(Use use, FileHistory.Change change) {
    use.history.told().made(host.data, change);
    return change;
  }

  /** Ends a change. If it failed because a daemon was unreachable, it may still be there, and happen later. */
  private void changed(String what, FileHistory.Change change, IoTask task) {
    if (task.errno() != Errno.EIO) {
      FileHistory.end(change, run.tick(), task.errno() == Errno.OK);
    }
    ended(what, task);
  }

  private void truncate(Step step, Use use) {
    use.isWritten = true;
    FileHistory.Change change = made(use, use.history.cut(step.offset() + step.bytes(), run.tick()));
    data(DaemonOp.TRUNCATE, use, new long[] {step.offset() + step.bytes()}, new long[1], task -> changed("truncate", change, task));
  }

  private void punch(Step step, Use use) {
    use.isWritten = true;
    FileHistory.Change change = made(use, use.history.punch(step.offset(), step.bytes(), run.tick()));
    data(DaemonOp.PUNCH, use, new long[] {step.offset()}, new long[] {step.bytes()}, task -> changed("punch", change, task));
  }

  private void size(Use use) {
    long begin = run.tick();
    data(DaemonOp.STAT, use, new long[0], new long[0], task -> {
      if (task.errno() == Errno.OK) {
        use.history.checkLength(name, task.fileBytes(), begin, run.tick());
      }
      ended("size", task);
    });
  }

  private void sync(Use use) {
    long begin = run.tick();
    ToldLosses.Attempt attempt = use.history.told().begin(use.reader, begin);
    data(DaemonOp.SYNC, use, new long[0], new long[0], task -> {
      long end = run.tick();
      attempt.end(end);
      if (task.errno() != Errno.OK) {
        ended("sync", task);
        return;
      }
      use.history.synced(-1, begin, end);
      if (use.losses.tells()) {
        use.history.told().checkTold(name, use.reader, end);
        run.marks().add(PvfsMarks.LOSS_TOLD);
        done("sync, told of a loss");
      } else {
        use.history.told().checkSilence(name, use.reader, begin);
        ended("sync", task);
      }
    });
  }

  private void cut(Step step, Use use) {
    long bytes = step.offset() + step.bytes();
    FileHistory.Change change = use.history.cut(bytes, run.tick());
    ask(MetaRequest.of(MetaOp.SETATTR, Caller.ROOT, use.inode, MetaRequest.SET_BYTES | MetaRequest.SET_BY_HANDLE, 0, 0, 0, bytes, 0, 0), reply -> {
      boolean isKnown = reply.errno() != Errno.ETIMEDOUT && !(reply.errno() == Errno.EIO && run.errors().mayBeUnsure());
      if (isKnown) {
        FileHistory.end(change, run.tick(), reply.errno() == Errno.OK);
      }
      if (reply.errno() == Errno.OK) {
        host.data.cutByManager(use.inode, use.history.striping());
        use.history.told().cutByManager(host.data, change);
      }
      run.errors().checkMeta(name + " " + doing, reply.errno());
      done("cut " + Errno.name(reply.errno()));
    });
  }

  private void attributes(Use use) {
    long begin = run.tick();
    ask(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, use.inode), reply -> {
      if (reply.errno() == Errno.OK && (reply.number() & MetaReply.LENGTH_OPEN) == 0) {
        run.files().checkKnownLength(use.history, name, reply.attributes().bytes(), begin);
      }
      run.errors().checkMeta(name + " " + doing, reply.errno());
      done("attributes " + Errno.name(reply.errno()) + " " + reply.number());
    });
  }

  // Open files.

  private void closeOwn() {
    if (own == null) {
      done("has nothing to close");
      return;
    }
    close(own, () -> own = null);
  }

  /** As in the native interface: reports the length that the daemons have. */
  private void close(Use use, Runnable then) {
    if (!use.isWritten) {
      close(use, -1, then);
      return;
    }
    long begin = run.tick();
    data(DaemonOp.STAT, use, new long[0], new long[0], task -> {
      boolean isKnown = task.errno() == Errno.OK;
      run.errors().checkData(name + " closing", task.errno());
      if (isKnown) {
        use.history.checkLength(name, task.fileBytes(), begin, run.tick());
      }
      close(use, isKnown ? task.fileBytes() : -2, then);
    });
  }

  private void close(Use use, long bytes, Runnable then) {
    ask(MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, use.inode, bytes, 1, 0), reply -> {
      run.errors().checkClose(name + " closing " + use.inode, reply.errno(), use == own && run.mayBeForgotten(host, use.openedNs));
      then.run();
      done("closed " + use.inode + " " + Errno.name(reply.errno()));
    });
  }

  private void create(Step step) {
    if (own != null) {
      closeOwn();
      return;
    }
    String path = step.directory() + "/" + step.name();
    NameHistory.Op op = run.names().begin(OpKind.CREATE, path, null, 0, 0, run.tick());
    ask(MetaRequest.of(MetaOp.CREATE, Caller.ROOT, run.directory(step.directory()), 0644, 1, -1, 0, 0, 3).named(step.name()), reply -> {
      if (reply.errno() == Errno.OK) {
        FileAttributes made = reply.attributes();
        own = use(made.inode(), run.files().add(name + "'s " + path, made));
      }
      named(op, reply, null);
    });
  }

  // Names.

  private void name(Step step) {
    if (step.kind() == OpKind.LINK && own == null) {
      done("has nothing to link");
      return;
    }
    String path = step.directory() + "/" + step.name();
    String newPath = step.kind() == OpKind.RENAME ? step.other() + "/" + step.newName() : null;
    MetaOp asked = MetaOp.valueOf(step.kind().name());
    MetaRequest request = MetaRequest.of(asked, Caller.ROOT, run.directory(step.directory()), step.kind() == OpKind.RENAME ? step.flags() : 0755)
        .named(step.name());
    if (step.kind() == OpKind.RENAME) {
      request = request.withOther(run.directory(step.other())).withValue(step.newName().getBytes(StandardCharsets.UTF_8));
    } else if (step.kind() == OpKind.LINK) {
      request = request.withOther(own.inode);
    }
    NameHistory.Op op = run.names().begin(step.kind(), path, newPath, step.flags(), step.kind() == OpKind.LINK ? own.inode : 0, run.tick());
    ask(request, reply -> named(op, reply, null));
  }

  private void list(Step step) {
    NameHistory.Op op = run.names().begin(OpKind.LIST, step.directory() + "/", null, 0, 0, run.tick());
    ask(MetaRequest.of(MetaOp.READDIR, Caller.ROOT, run.directory(step.directory()), 0, MetaReply.VALUE_BYTES_MAX), reply -> {
      Set<String> names = reply.errno() != Errno.OK ? null : namesIn(reply.value());
      named(op, reply, names);
    });
  }

  static Set<String> namesIn(byte[] page) {
    return DirectoryPage.decode(page).stream().map(entry -> new String(entry.name(), StandardCharsets.UTF_8))
        .filter(entry -> !entry.equals(".") && !entry.equals("..")).collect(Collectors.toCollection(TreeSet::new));
  }

  private void named(NameHistory.Op op, MetaReply reply, Set<String> listed) {
    int errno = reply.errno() == Errno.ESTALE && op.kind == OpKind.LINK ? Errno.ENOENT : reply.errno();
    boolean isFailure = errno == Errno.EIO || errno == Errno.ETIMEDOUT || errno == Errno.ENOSPC;
    if (!isFailure) {
      run.names().end(op, errno, reply.attributes() == null ? 0 : reply.attributes().inode(), listed, run.tick(), run.violations());
    } else {
      run.errors().checkMeta(name + " " + doing, errno);
      boolean isUndone = errno == Errno.ENOSPC || errno == Errno.EIO && !run.errors().mayBeUnsure();
      if (isUndone) {
        run.names().fail(op, run.tick());
      }
    }
    done(op.kind + " " + Errno.name(errno));
  }

  private void ask(MetaRequest request, Consumer<MetaReply> then) {
    boolean isTaken = host.meta.tryAsk(request, reply -> {
      if (!host.isDown) {
        then.accept(reply);
      }
    });
    if (!isTaken) {
      run.violations().add(name + " could not ask the manager: as many as may be are under way");
    }
  }
}
