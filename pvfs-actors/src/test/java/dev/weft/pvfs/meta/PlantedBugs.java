package dev.weft.pvfs.meta;

import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.List;
import java.util.function.Consumer;

/** Bugs to be planted in a client of the manager; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code claims} in {@code claimAgain}: a client says that this was all, and has claimed nothing. */
  static List<MetaRequest> claimNothing(LockLedger ledger) {
    return List.of(MetaRequest.of(MetaOp.CLAIMED, Caller.ROOT, 0));
  }

  /** Instead of {@code forEach} in {@code lockLost}: nobody hears that a lock is lost. */
  static void tellNobody(List<EventListener> listeners, Consumer<EventListener> tell) {}
}
