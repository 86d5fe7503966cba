package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import java.util.function.Supplier;

/** Runs operations on the name space, each as a whole. */
final class Operations {
  private final Transaction transaction;

  Operations(Transaction transaction) {
    this.transaction = transaction;
  }

  /** Runs an operation; a refused one changes nothing. EAGAIN if the batch must be committed first. */
  <T> Result<T> run(Supplier<T> operation) {
    if (transaction.isLarge()) {
      return Result.error(Errno.EAGAIN);
    }
    boolean isDone = false;
    try {
      T value = operation.get();
      transaction.keep();
      isDone = true;
      return Result.ok(value);
    } catch (Refusal refusal) {
      return Result.error(refusal.errno());
    } finally {
      if (!isDone) {
        transaction.drop();
      }
    }
  }

  Result<Void> run(Runnable operation) {
    return run(() -> {
      operation.run();
      return null;
    });
  }

  /**
   * Runs an operation that needs space and changes nothing but the store. ENOSPC if the store is full; other errors take precedence. Operations that
   * free space always run.
   */
  <T> Result<T> add(Supplier<T> operation) {
    boolean isFull = transaction.isFull();
    return run(() -> {
      T made = operation.get();
      Refusal.unless(!isFull, Errno.ENOSPC);
      return made;
    });
  }
}
