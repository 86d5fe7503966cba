package dev.weft.lab.sim.pvfs;

import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A client that runs one operation after the other without faults: it makes the files of a run, and checks the final state. */
final class PvfsAuditor implements AutoCloseable {
  private static final long PATIENCE_NS = 120_000_000_000L;
  private static final int READ_BYTES = 48 << 10;

  private final PvfsRun run;
  private final VirtualFabric fabric;
  private final Node node;
  private final DataClient data;
  private final MetaClient meta;
  private final MemorySegment memory;

  PvfsAuditor(PvfsRun run, VirtualFabric fabric, Node node, PvfsSite site) {
    this.run = run;
    this.fabric = fabric;
    this.node = node;
    this.data = site.auditor(node);
    this.meta = MetaClient.start(fabric, node, "audit", site.managerAddress(), fabric.config());
    this.memory = node.hca().allocMemory(Arena.ofAuto(), READ_BYTES);
  }

  /** Asks the manager; a refusal is a violation. */
  MetaReply asked(MetaRequest request) {
    MetaReply[] answer = new MetaReply[1];
    meta.tryAsk(request, reply -> answer[0] = reply);
    if (!fabric.system().runUntil(() -> answer[0] != null, PATIENCE_NS) || answer[0].errno() != Errno.OK) {
      throw new IllegalStateException("the auditor asked for " + request.op() + " of " + request.inode() + ", and got "
          + (answer[0] == null ? "no answer" : Errno.name(answer[0].errno())));
    }
    return answer[0];
  }

  private IoTask done(DaemonOp op, PvfsFiles.Shared file, long offset, int bytes) {
    boolean moves = op == DaemonOp.READ;
    IoTask task = data.begin(op, file.inode(), file.history().striping(), moves ? new long[] {offset} : new long[0], moves ? new long[] {bytes} : new long[0],
        moves ? new MemorySegment[] {memory.asSlice(0, bytes)} : new MemorySegment[0], _ -> { });
    if (!fabric.system().runUntil(task::isDone, PATIENCE_NS) || task.errno() != Errno.OK) {
      throw new IllegalStateException("the auditor wanted to " + op + " " + file.name() + " at " + offset + ": "
          + (task.isDone() ? Errno.name(task.errno()) : "no answer"));
    }
    return task;
  }

  /** Reads everything that any client may have written, and asks for the length. */
  void look(PvfsFiles.Shared file) {
    long begin = run.tick();
    long length = done(DaemonOp.STAT, file, 0, 0).fileBytes();
    file.history().checkLength("the auditor", length, begin, run.tick());
    for (long at : file.history().places(READ_BYTES)) {
      begin = run.tick();
      memory.fill((byte) 0x5a);
      IoTask read = done(DaemonOp.READ, file, at, READ_BYTES);
      file.history().check("the auditor", at, memory, read.bytes(), begin, run.tick());
      if (read.bytes() < READ_BYTES) {
        file.history().checkLength("the auditor's read", read.fileBytes(), begin, run.tick());
      }
    }
    MetaReply attributes = asked(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, file.inode()));
    if (attributes.number() == 0) {
      run.files().checkKnownLength(file.history(), "the auditor", attributes.attributes().bytes(), begin);
    }
  }

  Set<String> list(long directory) {
    return PvfsProgram.namesIn(asked(MetaRequest.of(MetaOp.READDIR, Caller.ROOT, directory, 0, MetaReply.VALUE_BYTES_MAX)).value());
  }

  void remove(long directory, String name) {
    boolean isDirectory = asked(MetaRequest.of(MetaOp.LOOKUP, Caller.ROOT, directory).named(name)).attributes().isDirectory();
    asked(MetaRequest.of(isDirectory ? MetaOp.RMDIR : MetaOp.UNLINK, Caller.ROOT, directory).named(name));
  }

  Node node() {
    return node;
  }

  @Override
  public void close() {
    data.close();
    meta.close();
    fabric.closeNode(node.name());
  }
}
