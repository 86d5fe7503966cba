package dev.weft.hca.verbs;

/**
 * Called when an armed completion queue gets a completion of the requested kind; at most once for each arming. Runs in
 * the {@link ReceiveContext} with which the completion queue was created.
 */
@FunctionalInterface
public interface CompletionHandler {
  void onCompletionEvent(CompletionQueue cq);
}
