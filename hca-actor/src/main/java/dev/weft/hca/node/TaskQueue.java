package dev.weft.hca.node;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The dedicated thread of the TASK_QUEUE receive context. Its queue is bounded by the number of completion queues, since each has at
 * most one notification outstanding.
 */
final class TaskQueue {
  private TaskQueue() {}

  /** One daemon thread that starts with the first task and ends after ten idle seconds. */
  static ExecutorService create() {
    ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
        Thread.ofPlatform().daemon().name("weft-task-queue").factory());
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }
}
