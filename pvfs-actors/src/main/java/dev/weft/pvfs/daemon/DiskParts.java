package dev.weft.pvfs.daemon;

import dev.weft.hca.node.RoleContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The parts of a daemon with stripes on a disk, besides its memory.
 *
 * @param directory for people
 * @param run number of starts on it
 * @param identity for {@link dev.weft.pvfs.wire.Hello}
 * @param context threads of the file access managers
 * @param closed one for each of them, completed when it has closed its files
 * @param release frees the directory
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

  /** Completes when everything is closed and the directory is free. */
  CompletableFuture<Void> whenClosed() {
    return CompletableFuture.allOf(closed.toArray(CompletableFuture[]::new)).whenComplete((_, _) -> release.run());
  }

  /** Makes one file access manager. */
  FileAccess access(Consumer<String> log) {
    int pages = (int) (settings.sumBytes() / Sums.PAGE_BYTES / settings.threads());
    ObjectStore store = new ObjectStore(disk, run, Math.max(4, settings.openMax() / settings.threads()), pages, counters, log);
    return new FileAccess(store, disk, counters);
  }
}
