package dev.weft.pvfs.daemon;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * What a daemon that keeps stripes in a directory has beside its memory.
 *
 * @param closed for each file access manager, completed when it has closed what it had
 */
record DiskParts(DaemonDirectory directory, DaemonSettings.Disk settings, DiskCounters counters, List<CompletableFuture<Void>> closed) {
  static DiskParts of(DaemonDirectory directory, DaemonSettings.Disk settings) {
    DiskCounters counters = new DiskCounters();
    directory.disk().list(-1, (object, bytes) -> counters.objects.incrementAndGet());
    return new DiskParts(directory, settings, counters, IntStream.range(0, settings.threads()).mapToObj(_ -> new CompletableFuture<Void>()).toList());
  }

  /** Everything is closed, and the directory is free. */
  CompletableFuture<Void> whenClosed() {
    return CompletableFuture.allOf(closed.toArray(CompletableFuture[]::new)).whenComplete((_, _) -> directory.close());
  }

  /** Of one file access manager. */
  FileAccess access(Consumer<String> log) {
    int pages = (int) (settings.sumBytes() / Sums.PAGE_BYTES / settings.threads());
    ObjectStore store = new ObjectStore(directory.disk(), directory.run(), Math.max(4, settings.openMax() / settings.threads()), pages, counters, log);
    return new FileAccess(store, directory.disk(), counters);
  }
}
