package dev.weft.lab.sim.pvfs;

import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.Appends;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The application thread of a client: opens the files, and appends to them. It does not repeat a failed append. */
final class AppendProgram {
  private static final int READ_WRITE = 3;
  private static final long AGAIN_NS = 50_000_000L;

  private final AppendRun run;
  private final PvfsHost host;
  private final AppendScenario.Program program;
  private final Appends appends;
  private final MemorySegment memory;
  private final List<Striping> stripings = new ArrayList<>();
  private AppThread thread;
  private Suspension suspension;
  private String doing = "begins";

  AppendProgram(AppendRun run, PvfsHost host, AppendScenario.Program program) {
    this.run = run;
    this.host = host;
    this.program = program;
    this.appends = new Appends(host.meta, host.data);
    this.memory = host.node.hca().allocMemory(Arena.ofAuto(), AppendStep.BYTES_MAX);
  }

  /** @param isAnyTime as in {@link Suspension} */
  void start(VirtualSystem system, boolean isAnyTime) {
    thread = run.threads().start(host.name, this::live);
    suspension = new Suspension(system, host, thread, isAnyTime);
  }

  Suspension suspension() {
    return suspension;
  }

  boolean isDone() {
    return thread.isDone();
  }

  /** Number of locks that it believes to hold. */
  int heldCount() {
    return appends.heldCount();
  }

  private void live(AppThread me) {
    for (int file = 0; file < run.files(); file++) {
      open(me, file);
      if (program.staysOpen()) {
        appends.opened(run.inode(file));
      }
    }
    for (AppendStep step : program.steps()) {
      me.compute(Math.max(0, run.startNs() + step.atNs() - me.nowNs()));
      append(me, step);
    }
    for (int file = 0; program.staysOpen() && file < run.files(); file++) {
      appends.closed(run.inode(file));
    }
    doing = "is done";
  }

  private void open(AppThread me, int file) {
    doing = "opens file " + file;
    MetaReply reply = host.meta.ask(MetaRequest.of(MetaOp.OPEN, Caller.ROOT, run.inode(file), READ_WRITE));
    while (reply.errno() != Errno.OK) {
      me.compute(AGAIN_NS);
      reply = host.meta.ask(MetaRequest.of(MetaOp.OPEN, Caller.ROOT, run.inode(file), READ_WRITE));
    }
    if (file == stripings.size()) {
      stripings.add(reply.attributes().striping());
    }
  }

  private void append(AppThread me, AppendStep step) {
    AppendHistory.Entry entry = run.begin(host.name, step);
    doing = "begins " + entry;
    run.note(host.name + " " + doing);
    entry.fill(memory);
    long inode = run.inode(step.file());
    if (!program.staysOpen()) {
      appends.opened(inode);
    }
    long at = appends.append(inode, stripings.get(step.file()), memory.asSlice(0, step.bytes()));
    if (!program.staysOpen()) {
      appends.closed(inode);
    }
    entry.end(at);
    run.ended(at);
    doing = "has ended " + entry;
    run.note(host.name + " " + doing);
    if (at < 0 && program.opensAgain()) {
      open(me, step.file()); // Its session may have ended, and its open files with it.
    }
  }

  @Override
  public String toString() {
    return host.name + " " + doing;
  }
}
