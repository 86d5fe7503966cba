package dev.weft.fabric.dispatch;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Short work for the hardware thread that another thread waits for. If the work has not begun within the timeout, the waiting thread takes
 * it back, and it never runs. If it has begun, the thread waits for its end. Any thread except the hardware thread makes and awaits a call;
 * the actor that gets it calls {@link #run} on the hardware thread.
 */
public final class HardwareCall<T> implements Runnable {
  private final Supplier<T> work;
  private final AtomicBoolean claimed = new AtomicBoolean();
  private final CompletableFuture<T> result = new CompletableFuture<>();

  public HardwareCall(Supplier<T> work) {
    this.work = work;
  }

  /** Does the work, unless it was taken back. Its exceptions go to the waiting thread, so that they do not end the actor that runs it. */
  @Override
  public void run() {
    if (!claimed.compareAndSet(false, true)) {
      return;
    }
    try {
      result.complete(work.get());
    } catch (RuntimeException | Error failed) {
      result.completeExceptionally(failed);
    }
  }

  /** Takes the work back, unless it has begun; the waiting thread gets {@code reason}. Any thread. */
  public void refuse(RuntimeException reason) {
    if (claimed.compareAndSet(false, true)) {
      result.completeExceptionally(reason);
    }
  }

  /** Returns the result, for callers that do not wait. The thread that runs or refuses the work completes it. */
  public CompletionStage<T> result() {
    return result;
  }

  /**
   * Waits for the result.
   *
   * @param timeout how long it may take until the work begins
   * @throws TimeoutException if the work has not begun in that time; it then never runs
   * @throws InterruptedException if the work had not begun when this thread was interrupted; it then never runs
   * @throws ExecutionException if the work failed; its cause is the exception that the work threw
   */
  public T await(Duration timeout) throws TimeoutException, InterruptedException, ExecutionException {
    try {
      return result.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      takeBack(e);
    } catch (InterruptedException e) {
      takeBack(e);
      Thread.currentThread().interrupt();
    }
    try {
      return result.join();
    } catch (CompletionException e) {
      throw new ExecutionException(e.getCause());
    }
  }

  /** Returns only if the work has begun. */
  private <E extends Exception> void takeBack(E reason) throws E {
    if (claimed.compareAndSet(false, true)) {
      throw reason;
    }
  }
}
