package dev.weft.dsm.home;

import dev.weft.dsm.wire.DsmMessage;
import java.util.function.LongSupplier;

/** Bugs to be planted in the homes of minipages; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code send} in {@code startRead}: a copy is read by RDMA also where its owner may write. */
  static void readWhatChanges(Outbox outbox, int node, DsmMessage message) {
    if (message instanceof DsmMessage.ForwardRead order) {
      outbox.send(order.requester(), new DsmMessage.Fetch(order.minipage(), order.op(), node));
    } else {
      outbox.send(node, message);
    }
  }

  /** Instead of {@code bit} in {@code onConfirm}: nobody writes down who has a copy. */
  static long forgetCopy(int node) {
    return 0;
  }

  /** Instead of {@code bit} in {@code onNodeLost}: the dead keep their copies. */
  static long keepTheDead(int node) {
    return 0;
  }

  /** Instead of {@code bit} in {@code requesterLost}: the owner counts as one that may only read, though nobody knows whether it has been told so. */
  static long ownerMayOnlyRead(int node) {
    return 0;
  }

  /** Instead of {@code getAsLong} in {@code serveFromAnother}: copies of other nodes are not looked for. */
  static long nobody(LongSupplier members) {
    return 0;
  }
}
