package dev.weft.dsm.member;

import dev.weft.dsm.access.AccessControl;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.home.HomeCore;
import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.net.Transfers;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.sync.BarrierHome;
import dev.weft.dsm.wire.DsmMessage;
import java.lang.reflect.Field;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Bugs to be planted in a node of shared memory; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private static Runnable late;

  private PlantedBugs() {}

  /** Instead of {@code tryRevoke} in {@code tryRevoke}: what is to be given up stays. */
  static boolean keepCopy(AccessControl access, int minipage, byte rights) {
    return rights == Rights.NONE || access.tryRevoke(minipage, rights);
  }

  /** Instead of {@code tryRevoke} in {@code tryRevoke}: who shares what it could write may write still. */
  static boolean keepRightToWrite(AccessControl access, int minipage, byte rights) {
    return rights == Rights.READ || access.tryRevoke(minipage, rights);
  }

  /** Instead of {@code send} in {@code granted}: one confirmation in eight does not come. */
  static void dropConfirm(Outbox outbox, int node, DsmMessage message) {
    if (message instanceof DsmMessage.Confirm confirm && confirm.op() % 8 != 7) {
      outbox.send(node, message);
    }
  }

  /** Instead of {@code write} in {@code send}: see {@link #sendThenWrite}. */
  static void writeLate(Transfers transfers, int minipage, int node) {
    late = () -> transfers.write(minipage, node);
  }

  /** Instead of {@code send} in {@code send}: the data follows the message that says that it is there. */
  static void sendThenWrite(Outbox outbox, int node, DsmMessage message) {
    outbox.send(node, message);
    late.run();
  }

  /** Instead of {@code read} in {@code MinipageMessages.onMessage}: what is fetched counts as there at once. */
  static void grantBeforeData(Peers peers, int minipage, int op, int node) throws ReflectiveOperationException {
    Field receiver = Peers.class.getDeclaredField("receiver");
    receiver.setAccessible(true);
    ((Peers.Receiver) receiver.get(peers)).onFetched(minipage, op, -1);
    peers.read(minipage, op, node);
  }

  /** Instead of {@code removeIf} in {@code serve}: of threads that wait for the same, the first is woken and the others are forgotten. */
  static boolean wakeOne(List<Fault> faults, Predicate<Fault> served) {
    boolean isServed = !faults.isEmpty() && served.test(faults.getFirst());
    faults.clear();
    return isServed;
  }

  /** Instead of {@code onNodeLost} in {@code onFailed}: threads wait for a home that is dead. */
  static void waitForTheDead(NodeCore core, int node) {}

  static void waitForTheDead(SyncRoles sync, int node, String what) {
    sync.onNodeLost(node, what);
  }

  static List<Integer> waitForTheDead(HomeCore homes, int node) {
    return homes.onNodeLost(node);
  }

  static void waitForTheDead(FreedArrays freed, int node, long nowNs) {
    freed.onNodeLost(node, nowNs);
  }

  static void waitForTheDead(NodeObjects objects, int node) {
    objects.onNodeLost(node);
  }

  /** The same: locks and barriers do not hear of it. */
  static void meetTheDead(SyncRoles sync, int node, String what) {}

  static void meetTheDead(NodeCore core, int node) {
    core.onNodeLost(node);
  }

  static List<Integer> meetTheDead(HomeCore homes, int node) {
    return homes.onNodeLost(node);
  }

  static void meetTheDead(FreedArrays freed, int node, long nowNs) {
    freed.onNodeLost(node, nowNs);
  }

  static void meetTheDead(NodeObjects objects, int node) {
    objects.onNodeLost(node);
  }

  /** Instead of {@code onArrive} in {@code SyncRoles.onMessage}: the first thread at a barrier counts as two. */
  static void countTwice(BarrierHome home, int from) {
    if (home.here() == 0) {
      home.onArrive(from);
    }
    home.onArrive(from);
  }

  /** Instead of {@code threads} in {@code SyncRoles.onMessage}: of several threads of a node at a barrier one is not woken. */
  static int oneLess(DsmMessage.BarrierRelease release) {
    return Math.max(1, release.threads() - 1);
  }

  /** Instead of {@code holderLost} in {@code SyncRoles.onMessage}: nobody is told that what a lock protects may be half done. */
  static boolean notTold(DsmMessage.LockGrant grant) {
    return false;
  }

  static boolean notTold(DsmMessage.LockReturn back) {
    return back.holderLost();
  }

  /** Instead of {@code rights} in {@code onAsk}: a node says that data came that did not. */
  static byte sayThatItCame(AccessControl access, int minipage) {
    return Rights.READ;
  }

  /** Instead of {@code send} in {@code reportRuns}: of what a node has, the next home is told the half. */
  static void tellHalf(Outbox outbox, int home, DsmMessage held) {
    if (held instanceof DsmMessage.Holds holds && holds.first() % 2 == 0) {
      outbox.send(home, held);
    }
  }

  /** Instead of {@code onGathered} in {@code Leaving.onGathered}: a node goes before others have what it has. */
  static void goWithAll(Departure departure) throws ReflectiveOperationException {
    Field held = Departure.class.getDeclaredField("held");
    held.setAccessible(true);
    Supplier<int[]> nothing = () -> new int[0];
    held.set(departure, nothing);
    departure.onGathered();
  }
}
