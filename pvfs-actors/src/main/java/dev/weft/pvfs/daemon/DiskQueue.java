package dev.weft.pvfs.daemon;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/** Jobs for the disk, in order: a limited number is there at a time, the others wait. The daemon's thread. */
final class DiskQueue {
  private final int max;
  private final Consumer<DiskJob> disk;
  private final ArrayDeque<DiskJob> waiting = new ArrayDeque<>();
  private int there;

  DiskQueue(int max, Consumer<DiskJob> disk) {
    this.max = max;
    this.disk = disk;
  }

  void submit(DiskJob job) {
    if (there < max) {
      there++;
      disk.accept(job);
    } else {
      waiting.add(job);
    }
  }

  /** A job has come back. */
  void done() {
    there--;
    if (!waiting.isEmpty()) {
      submit(waiting.poll());
    }
  }

  int size() {
    return there + waiting.size();
  }
}
