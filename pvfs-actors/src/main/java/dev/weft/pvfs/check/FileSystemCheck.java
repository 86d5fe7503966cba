package dev.weft.pvfs.check;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.AskPattern;
import com.typesafe.config.Config;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.ClientSettings;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.manager.Capabilities;
import dev.weft.pvfs.manager.Checked;
import dev.weft.pvfs.manager.FileSystemLabel;
import dev.weft.pvfs.manager.Manager;
import dev.weft.pvfs.manager.ManagerActor;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Checks a file system while it is in use: first the metadata, in one moment between two commits of the manager, then the daemons' objects. Since
 * programs continue, apparent errors there are checked a second time. A repair gives the manager lengths from the daemons, and removes objects of
 * missing files. It removes objects only if the metadata were sound, because they could otherwise belong to a lost record. If a record of the file
 * was lost at any earlier repair, it removes them only on explicit request. Data lost with a bad block cannot be repaired. One thread, which waits;
 * another thread can {@link #end} it.
 */
public final class FileSystemCheck implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int BOTH = 3;
  private static final String DOUBT = "; a record of it was lost, so that this may be all that is left of it: --repair --discard-doubtful removes it";

  private final Fabric fabric;
  private final ActorSystem<?> system;
  private final Manager manager;
  private final MetaClient meta;
  private final DataClient data;
  private final DaemonObjects objects;
  private final int daemons;
  private volatile boolean isEnded;

  /**
   * Makes the check of a file system whose manager is in this JVM.
   *
   * @param node that asks the daemons
   * @param meta asks the manager
   */
  public FileSystemCheck(Fabric fabric, ActorSystem<?> system, Node node, Manager manager, FileSystemLabel label, MetaClient meta,
      List<DaemonAddress> daemons, Config config, LongSupplier wallNs) {
    this.fabric = fabric;
    this.system = system;
    this.manager = manager;
    this.meta = meta;
    this.daemons = daemons.size();
    this.data = DataClient.start(fabric, node, "check", daemons, ClientSettings.from(config), new Capabilities(label, wallNs));
    this.objects = new DaemonObjects(data);
  }

  /**
   * The tasks of a check.
   *
   * @param repairs whether to repair errors
   * @param discards whether to remove also objects of files with a lost record
   * @param scrubs whether the daemons read all data and compare its checksums
   */
  public record Wish(boolean repairs, boolean discards, boolean scrubs) {}

  /**
   * Runs the check.
   *
   * @throws CancellationException if it was ended; some repairs may have been made
   */
  public Report run(Wish wish) {
    try {
      return look(wish);
    } catch (IllegalStateException closed) {
      goOn();
      throw closed;
    }
  }

  /** Ends the check soon: it starts no further work. Any thread. */
  public void end() {
    isEnded = true;
    data.end();
  }

  private void goOn() {
    if (isEnded) {
      throw new CancellationException("the check of the file system was ended");
    }
  }

  private Report look(Wish wish) {
    List<Problem> problems = new ArrayList<>();
    boolean repairs = wish.repairs();
    Checked metadata = metadata(repairs);
    metadata.findings().forEach(finding -> problems.add(new Problem(finding.kind().name(), finding.text(), repairs)));
    List<DaemonObjects.Found> found = objects.all(daemons, problems);
    Checked now = metadata(false); // The listed objects are older than this look, so it includes their files.
    if (!metadata.problem().isEmpty() || !now.problem().isEmpty()) {
      problems.add(new Problem(Problem.NOT_CHECKED, "the metadata: " + metadata.problem() + now.problem(), false));
      return new Report(problems, 0, found.size());
    }
    boolean mayRemove = repairs && metadata.findings().isEmpty() && now.findings().isEmpty();
    Map<Long, Checked.File> files = now.files().stream().collect(Collectors.toMap(Checked.File::inode, Function.identity()));
    Map<Long, Long> lengths = new HashMap<>();
    for (DaemonObjects.Found one : found) {
      Checked.File file = files.get(one.object());
      int slot = file == null ? -1 : slotOf(file.striping(), one.daemon());
      if (slot >= 0) {
        lengths.merge(one.object(), file.striping().fileBytes(slot, one.bytes()), Math::max);
      } else if (!now.pending().contains(one.object()) && objects.isThere(one)) {
        boolean isDoubtful = file == null && now.doubted().contains(one.object());
        needless(one, file, isDoubtful, mayRemove && (!isDoubtful || wish.discards()), problems);
      }
    }
    lengths(now, lengths, repairs, problems);
    if (wish.scrubs()) {
      now.files().forEach(file -> scrub(file, Math.max(file.bytes(), lengths.getOrDefault(file.inode(), 0L)), problems));
    }
    goOn();
    return new Report(problems, files.size(), found.size());
  }

  private Checked metadata(boolean repairs) {
    goOn();
    CompletableFuture<Checked> checked = AskPattern.<ManagerActor.Command, Checked>ask(manager.actor(),
        (ActorRef<Checked> to) -> new ManagerActor.Check(repairs, to), PATIENCE, system.scheduler()).toCompletableFuture();
    fabric.await(() -> isEnded || checked.isDone(), PATIENCE);
    goOn();
    return fabric.await(checked, PATIENCE);
  }

  /** Returns -1 if the file is not striped over the daemon. */
  private static int slotOf(Striping striping, int daemon) {
    int slot = Math.floorMod(daemon - striping.base(), striping.daemons());
    return slot < striping.count() ? slot : -1;
  }

  private void needless(DaemonObjects.Found one, Checked.File file, boolean isDoubtful, boolean mayRemove, List<Problem> problems) {
    boolean isMended = mayRemove && data.remove(one.object(), new Striping(one.daemon(), 1, 1, daemons)).errno() == Errno.OK;
    String where = "I/O daemon " + one.daemon() + " has " + one.bytes() + " bytes of file " + one.object();
    problems.add(file == null ? new Problem(Problem.ORPHAN_OBJECT, where + ", which is not there" + (isDoubtful && !isMended ? DOUBT : ""), isMended)
        : new Problem(Problem.STRAY_OBJECT, where + ", which is striped over " + file.striping().count() + " daemons from " + file.striping().base() + " on",
            isMended));
  }

  private void lengths(Checked now, Map<Long, Long> lengths, boolean repairs, List<Problem> problems) {
    boolean isSure = problems.stream().noneMatch(problem -> problem.kind().equals(Problem.NOT_CHECKED));
    for (Checked.File file : now.files()) {
      boolean differs = file.isLengthKnown() && !now.pending().contains(file.inode()) && lengths.getOrDefault(file.inode(), 0L) != file.bytes();
      if (isSure && differs) {
        length(file, repairs, problems);
      }
    }
  }

  /** Compares the lengths. The manager is asked before and after the daemons; if both answers agree, no client wrote meanwhile. */
  private void length(Checked.File file, boolean repairs, List<Problem> problems) {
    MetaReply before = meta.ask(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, file.inode()));
    IoTask stat = data.stat(file.inode(), file.striping());
    MetaReply after = meta.ask(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, file.inode()));
    if (stat.errno() == Errno.EIO) {
      problems.add(new Problem(Problem.NOT_CHECKED, "the length of file " + file.inode() + ": " + Errno.text(stat.errno()), false));
      return;
    }
    boolean isStill = before.errno() == Errno.OK && after.errno() == Errno.OK && stat.errno() == Errno.OK && before.number() == 0 && after.number() == 0
        && before.attributes().equals(after.attributes());
    if (!isStill || stat.fileBytes() == after.attributes().bytes()) {
      return;
    }
    problems.add(new Problem(Problem.WRONG_LENGTH, "file " + file.inode() + " has " + stat.fileBytes() + " bytes at its I/O daemons, but "
        + after.attributes().bytes() + " as the manager knows it", repairs && setLength(file.inode(), stat.fileBytes())));
  }

  private boolean setLength(long inode, long bytes) {
    if (meta.ask(MetaRequest.of(MetaOp.OPEN, Caller.ROOT, inode, BOTH)).errno() != Errno.OK) {
      return false;
    }
    return meta.ask(MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, inode, bytes, 1, 1)).errno() == Errno.OK;
  }

  private void scrub(Checked.File file, long bytes, List<Problem> problems) {
    if (bytes == 0) {
      return;
    }
    IoTask task = data.scrub(file.inode(), file.striping(), bytes);
    if (task.errno() != Errno.OK && task.errno() != Errno.ENOENT) {
      problems.add(new Problem(Problem.NOT_CHECKED, "the data of file " + file.inode() + ": " + Errno.text(task.errno()), false));
    } else if (task.badBlocks() > 0) {
      problems.add(new Problem(Problem.BAD_CHECKSUM, "file " + file.inode() + " has " + task.badBlocks() + " blocks with a wrong checksum; "
          + "reading them fails with EIO; write the file again", false));
    }
  }

  @Override
  public void close() {
    data.close();
  }
}
