package dev.weft.dsm.release;

import dev.weft.dsm.access.AccessControl;
import dev.weft.dsm.wire.DsmMessage;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/** Bugs to be planted in release consistency; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private static Runnable late = () -> { };

  private PlantedBugs() {}

  /** Instead of {@code doneSeq}: all that was sent counts as being there. */
  static long everythingDone(Staging staging) {
    return staging.lastSeq();
  }

  /** Instead of {@code get} in {@code fetched}: the content goes over what came by updates. */
  static boolean forgetUpdates(BitSet newer, int element) {
    return false;
  }

  /** Instead of {@code end} in {@code differences}: a run goes on over elements that have not changed. */
  static int goOn(MemorySegment frame, long at, MemorySegment twin, int from, int most, int bytes, int elementBytes) {
    return (int) Math.min((long) from + most, bytes);
  }

  /** Instead of {@code take} in {@code take}: what is acknowledged is put in place when the next updates come. */
  static void takeLate(GroupArrivals.Taker taker, int from, long begin, long end) {
    late.run();
    late = () -> taker.take(from, begin, end);
  }

  /** Instead of {@code taken} in {@code onAck}: who has taken it first speaks for all. */
  static void takenByAll(Staging staging, Staging.Batch batch, long bits) {
    staging.taken(batch, -1L);
  }

  /** Instead of {@code tryRevoke} in {@code gatherAll}: threads write on though the twin goes. */
  static boolean keepRight(AccessControl access, int minipage, byte rights) {
    return true;
  }

  /** Instead of {@code told} in {@code contents}: what is not released yet is in the content. */
  static long notTold(ReleasePage page, MemorySegment frames, int offset) {
    return Differences.get(frames, page.at + offset, page.elementBytes);
  }

  /** Instead of {@code store} in {@code apply}: the twin stays as it was. */
  static void forgetTwin(MemorySegment to, long at, int elementBytes, long value) {}

  /** Instead of {@code isWhole} in {@code onPart}: a batch is taken though a datagram of it is missing. */
  static boolean nearlyWhole(int missing) {
    return missing <= 1;
  }

  /** Instead of {@code isLater} in {@code onPart}: a datagram of an earlier use of the slot begins that batch again. */
  static boolean isAnother(long seq, long last) {
    return seq != last;
  }

  /** Instead of {@code write} in {@code onMissing}: what was lost stays lost. */
  static void repairNothing(ReleasePort port, long offset, int bytes, int node) {}

  /** Instead of {@code send} in {@code ask}: nobody hears of what was lost. */
  static void askNobody(ReleasePort port, int node, DsmMessage message) {}

  /** Instead of {@code mustWait} in {@code differences}: a batch of the group goes while an earlier change of the same is on its way. */
  static boolean overtake(Gathering gathering, long receivers) {
    return false;
  }

  /** Instead of {@code send} in {@code onSent}: a node that lacks something says that it has it. */
  static void sayThatItCame(ReleasePort port, int node, DsmMessage message) {
    port.send(node, new DsmMessage.UpdatesTaken(((DsmMessage.UpdatesMissing) message).seq()));
  }
}
