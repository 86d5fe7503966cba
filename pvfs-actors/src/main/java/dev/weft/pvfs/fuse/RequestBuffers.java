package dev.weft.pvfs.fuse;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** A fixed number of buffers. Each takes its memory at its first use, and keeps it. Any thread. */
final class RequestBuffers {
  private final BlockingQueue<RequestBuffer> free;

  RequestBuffers(int count, int transferBytes) {
    free = new ArrayBlockingQueue<>(count);
    for (int i = 0; i < count; i++) {
      free.add(new RequestBuffer(transferBytes));
    }
  }

  /** Waits for a buffer. */
  RequestBuffer take() throws InterruptedException {
    RequestBuffer now = free.poll();
    return now != null ? now : free.take();
  }

  void give(RequestBuffer buffer) {
    free.add(buffer);
  }

  int freeCount() {
    return free.size();
  }
}
