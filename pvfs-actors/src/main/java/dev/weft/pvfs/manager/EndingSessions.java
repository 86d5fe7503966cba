package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.store.StoreException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Sessions whose end is not written yet. Each may need several batches. One thread. */
final class EndingSessions {
  private final KeptNameSpace kept;
  private final IntSupplier write;
  private final Set<Long> sessions = new HashSet<>();

  /** @param write writes the batch; returns an errno */
  EndingSessions(KeptNameSpace kept, IntSupplier write) {
    this.kept = kept;
    this.write = write;
  }

  void add(long session) {
    sessions.add(session);
  }

  /** The session has come back. */
  void remove(long session) {
    sessions.remove(session);
  }

  /** The sessions have come back. */
  void removeAll(Set<Long> back) {
    sessions.removeAll(back);
  }

  /** Writes the end of all sessions, as far as the store allows. */
  void end() {
    sessions.removeIf(session -> isDone(() -> kept.get().endSession(session)));
  }

  boolean isEmpty() {
    return sessions.isEmpty();
  }

  int count() {
    return sessions.size();
  }

  /** Runs a step that needs several batches; returns false if the store fails. */
  boolean isDone(Supplier<Result<Boolean>> step) {
    try {
      Result<Boolean> end = step.get();
      while (end.errno() == Errno.EAGAIN || end.isOk() && !end.value()) {
        if (write.getAsInt() != Errno.OK) {
          return false;
        }
        end = step.get();
      }
      return write.getAsInt() == Errno.OK;
    } catch (StoreException failed) {
      return false;
    }
  }
}
