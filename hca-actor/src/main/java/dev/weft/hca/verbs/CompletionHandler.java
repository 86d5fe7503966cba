package dev.weft.hca.verbs;

/**
 * Called when an armed completion queue gets a completion that its arming asked for; at most once for each arming. Runs in
 * the {@link ReceiveContext} that the completion queue was created with.
 */
@FunctionalInterface
public interface CompletionHandler {
  void onCompletionEvent(CompletionQueue cq);
}
