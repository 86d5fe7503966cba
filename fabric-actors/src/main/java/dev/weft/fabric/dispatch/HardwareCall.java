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
 * Short work for the hardware thread that another thread waits for. Whoever waits in vain takes it back: it has not begun then and never
 * runs. What has begun is waited for. Made and awaited by any thread but the hardware's; {@link #run} is called there, by the actor that
 * was told.
 */
public final class HardwareCall<T> implements Runnable {
  private final Supplier<T> work;
  private final AtomicBoolean claimed = new AtomicBoolean();
  private final CompletableFuture<T> result = new CompletableFuture<>();

  public HardwareCall(Supplier<T> work) {
    this.work = work;
  }

  /** Does it, unless it was taken back. What it throws goes to whoever waits, so that the actor that runs it goes on. */
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

  /** Takes it back for whoever waits, who gets {@code reason}, unless it has begun. Any thread. */
  public void refuse(RuntimeException reason) {
    if (claimed.compareAndSet(false, true)) {
      result.completeExceptionally(reason);
    }
  }

  /** The result, for who does not wait; completed on the thread that runs or refuses it. */
  public CompletionStage<T> result() {
    return result;
  }

  /**
   * Waits for the result.
   *
   * @param timeout how long it may take until the work begins
   * @throws TimeoutException if it has not begun in that time; it never will
   * @throws InterruptedException if it had not begun when this thread was interrupted; it never will
   * @throws ExecutionException with what the work has thrown
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
