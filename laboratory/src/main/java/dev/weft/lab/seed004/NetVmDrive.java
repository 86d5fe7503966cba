package dev.weft.lab.seed004;

import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import java.util.concurrent.CompletableFuture;

/** What a measurement does on the hardware thread: is started once, and is given the completions of its requests. */
abstract class NetVmDrive {
  private final CompletableFuture<Void> end = new CompletableFuture<>();

  abstract void start();

  abstract void completed(WorkCompletion wc);

  final void take(WorkCompletion wc) {
    if (wc.status() != WcStatus.SUCCESS) {
      end.completeExceptionally(new IllegalStateException("a request failed with " + wc.status()));
    } else if (!end.isDone()) {
      completed(wc);
    }
  }

  final void finish() {
    end.complete(null);
  }

  final CompletableFuture<Void> end() {
    return end;
  }
}
