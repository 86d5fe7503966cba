package dev.weft.pvfs.daemon;

import dev.weft.hca.node.RoleContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * What a daemon that keeps stripes on a disk has beside its memory.
 *
 * @param directory for people
 * @param run counts the starts on it
 * @param identity as {@link dev.weft.pvfs.wire.Hello} has it
 * @param context who runs the file access managers
 * @param closed for each of them, completed when it has closed what it had
 * @param release gives the directory back
 */
record DiskParts(String directory, Disk disk, int run, long identity, DaemonSettings.Disk settings, RoleContext context, DiskCounters counters,
    List<CompletableFuture<Void>> closed, Runnable release) {
  static DiskParts of(DaemonDirectory directory, DaemonSettings.Disk settings) {
    return of(directory.path().toString(), directory.disk(), directory.run(), directory.identity(), settings, RoleContext.BLOCKING, directory::close);
  }

  static DiskParts of(String directory, Disk disk, int run, long identity, DaemonSettings.Disk settings, RoleContext context, Runnable release) {
    DiskCounters counters = new DiskCounters();
    disk.list(-1, (object, bytes) -> counters.objects.incrementAndGet());
    List<CompletableFuture<Void>> closed = IntStream.range(0, settings.threads()).mapToObj(_ -> new CompletableFuture<Void>()).toList();
    return new DiskParts(directory, disk, run, identity, settings, context, counters, closed, release);
  }

  /** Everything is closed, and the directory is free. */
  CompletableFuture<Void> whenClosed() {
    return CompletableFuture.allOf(closed.toArray(CompletableFuture[]::new)).whenComplete((_, _) -> release.run());
  }

  /** Of one file access manager. */
  FileAccess access(Consumer<String> log) {
    int pages = (int) (settings.sumBytes() / Sums.PAGE_BYTES / settings.threads());
    ObjectStore store = new ObjectStore(disk, run, Math.max(4, settings.openMax() / settings.threads()), pages, counters, log);
    return new FileAccess(store, disk, counters);
  }
}
