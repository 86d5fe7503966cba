package dev.weft.pvfs.daemon;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.DaemonOp;
import java.util.List;

/** Executes the jobs of a file access manager; those of one object in order. Without actors; one thread. */
final class FileAccess {
  private final ObjectStore store;
  private final Disk disk;
  private final DiskCounters counters;

  FileAccess(ObjectStore store, Disk disk, DiskCounters counters) {
    this.store = store;
    this.disk = disk;
    this.counters = counters;
  }

  /** Marks all clean blocks that these jobs will change, so that one wait for the disk covers them. */
  void mark(List<DiskJob> jobs) {
    for (DiskJob job : jobs) {
      if (job.what == DaemonOp.WRITE) {
        try {
          for (int i = 0; i < job.offsets.length; i++) {
            store.mark(job.object, job.offsets[i], job.lengths[i]);
          }
        } catch (DiskException again) {
          counters.errors.incrementAndGet(); // The write itself will fail with it.
        }
      }
    }
  }

  void run(DiskJob job) {
    try {
      tryRun(job);
    } catch (DiskException refused) {
      counters.errors.incrementAndGet();
      job.errno = refused.errno;
    }
  }

  private void tryRun(DiskJob job) {
    switch (job.what) {
      case null -> over(job, false);
      case READ -> read(job);
      case WRITE -> write(job);
      case STAT -> { }
      case SYNC -> store.sync(job.object);
      case TRUNCATE -> store.truncate(job.object, job.offsets[0]);
      case EXTEND -> store.extend(job.object, job.offsets[0]);
      case PUNCH -> {
        for (int i = 0; i < job.offsets.length; i += 2) {
          store.punch(job.object, job.offsets[i], job.offsets[i + 1]);
        }
      }
      case REMOVE -> job.errno = store.remove(job.object) ? Errno.OK : Errno.ENOENT;
      case STATFS -> {
        job.result = disk.freeBytes();
        job.objectBytes = disk.totalBytes();
        job.disk = disk.number();
        return;
      }
      case LIST -> {
        disk.list(job.offsets[0], job.page::offer);
        return;
      }
      case SCRUB -> {
        Scrubbed scrubbed = store.scrub(job.object, job.offsets[0], job.lengths[0]);
        job.result = scrubbed.bad();
        job.objectBytes = scrubbed.next();
        return;
      }
    }
    job.objectBytes = job.what == DaemonOp.REMOVE ? 0 : store.bytes(job.object);
  }

  private void read(DiskJob job) {
    long at = 0;
    for (int i = 0; i < job.offsets.length; i++) {
      store.read(job.object, job.offsets[i], job.data.asSlice(at, job.lengths[i]));
      at += job.lengths[i];
    }
  }

  private void write(DiskJob job) {
    DiskJob.Write write = job.write;
    if (write.isOver) {
      job.errno = write.errno; // An earlier part has failed.
      return;
    }
    try {
      if (!write.isBegun) {
        store.beginWrite(job.object);
        write.isBegun = true;
      }
      long at = 0;
      for (int i = 0; i < job.offsets.length; i++) {
        store.write(job.object, job.offsets[i], job.data.asSlice(at, job.lengths[i]));
        at += job.lengths[i];
      }
    } catch (DiskException failed) {
      write.errno = failed.errno;
      over(job, false);
      throw failed;
    }
    if (job.isLast) {
      over(job, true);
    }
  }

  private void over(DiskJob job, boolean isGood) {
    if (!job.write.isOver) {
      job.write.isOver = true;
      if (job.write.isBegun) {
        store.endWrite(job.object, job.end, isGood);
      }
    }
  }

  /** Returns the time of the work since the last call, in virtual time. */
  long tookNs() {
    return disk.tookNs();
  }

  /** Updates the space counters for the inspection. */
  void lookAtRoom() {
    try {
      counters.freeBytes.set(disk.freeBytes());
      counters.totalBytes.set(disk.totalBytes());
    } catch (DiskException unknown) {
      counters.errors.incrementAndGet();
    }
  }

  void close() {
    store.close();
  }
}
