package dev.weft.pvfs.client;

import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Hello;

/** Bugs to be planted in a client of the I/O daemons; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code mustReadAgain} in {@code endIfOver}: what was written behind the end of a local object shows as a hole. */
  static boolean readOnce(IoTask task) {
    return false;
  }

  /** Instead of {@code mustAskLengths} in {@code endIfOver}: a read that meets the end of a local object does not ask where the file ends. */
  static boolean askNobody(IoTask task) {
    return false;
  }

  /** Instead of {@code slotOf} in {@code cut}: what begins a stripe goes where the stripe before it is. */
  static int slotBefore(Striping striping, long offset) {
    return striping.slotOf(offset > 0 && offset % striping.stripeBytes() == 0 ? offset - 1 : offset);
  }

  /** Instead of {@code zeroTail} in {@code take}: memory that nothing was read to stays as it is. */
  static void keepTail(DaemonTask part, long objectBytes) {}

  /** Instead of {@code release} in {@code endIfOver}: memory stays registered. */
  static void keepRegistered(UserMemory memory, IoTask task) {}

  /** Instead of {@code freeSlot} in {@code onReply}: lent buffers are not used again. */
  static void keepSlot(DaemonLink link, DaemonTask part) {}

  /** Instead of {@code count} in {@code askAll}: the last daemon of a file is not told. */
  static int countWithoutLast(Striping striping) {
    return Math.max(1, striping.count() - 1);
  }

  /** Instead of {@code isAnother} in {@code meet}: a daemon is the one before, whatever it says. */
  static boolean isTheSame(DaemonLink link, Hello hello) {
    return false;
  }

  /** Instead of {@code fence} in {@code pump}: what may be sent no more is sent. */
  static Fence.State openToAll(IoTask task) {
    return Fence.State.OPEN;
  }

  /** Instead of {@code down} in {@code onLost}: of what has no answer yet, the last part is not sent again, and counts as done. */
  static void forgetLast(DaemonLink link, boolean wasUp, long nowNs) {
    int sent = link.requests.sentCount();
    link.down(wasUp, nowNs);
    DaemonTask first = link.waiting.peek();
    if (sent > 0 && first.task.requestsUnderWay > 1 && !first.task.hasFailed()) {
      link.waiting.poll();
      first.task.underWayBytes -= first.file.totalBytes();
      first.task.requestsUnderWay--;
    }
  }
}
