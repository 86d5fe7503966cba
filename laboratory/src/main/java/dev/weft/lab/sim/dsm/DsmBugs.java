package dev.weft.lab.sim.dsm;

import dev.weft.lab.kit.PlantedBug;
import java.util.List;

/** Bugs of shared memory that its simulation must find. */
final class DsmBugs {
  private static final String MEMBER = "dev.weft.dsm.member.";
  private static final String NET = "dev.weft.dsm.net.";
  private static final String HOME = "dev.weft.dsm.home.HomeCore ";
  private static final String SERVICE = "dev.weft.dsm.home.MinipageService ";
  private static final String SYNC = "dev.weft.dsm.sync.";
  private static final String ACCESS = "dev.weft.dsm.access.";

  static final List<PlantedBug> ALL = List.of(
      new PlantedBug(MEMBER + "NodeCore tryRevoke tryRevoke keepCopy", "a copy that is given up can be read still", 20),
      new PlantedBug(MEMBER + "NodeCore tryRevoke tryRevoke keepRightToWrite", "who shares what it could write may write still", 20),
      new PlantedBug(MEMBER + "NodeCore granted send dropConfirm", "confirmations are lost", 20),
      new PlantedBug(MEMBER + "NodeCore send write writeLate + " + MEMBER + "NodeCore send send sendThenWrite",
          "the data follows the message that says that it is there", 20),
      new PlantedBug(NET + "Peers write post forgetData", "no data goes with the message", 20),
      new PlantedBug(MEMBER + "MinipageMessages onMessage read grantBeforeData", "what is fetched counts as there at once", 20),
      new PlantedBug(MEMBER + "NodeCore serve removeIf wakeOne", "of threads that wait for the same only one is woken", 20),
      new PlantedBug(MEMBER + "DsmMember onFailed onNodeLost waitForTheDead", "threads wait for a home that is dead", 60),
      new PlantedBug(MEMBER + "DsmMember onFailed onNodeLost meetTheDead", "locks and barriers do not hear that a node is dead", 60),
      new PlantedBug(MEMBER + "SyncRoles onMessage onArrive countTwice", "a barrier lets threads go before all have come", 20),
      new PlantedBug(MEMBER + "SyncRoles onMessage threads oneLess", "a thread at a barrier is not woken", 20),
      new PlantedBug(MEMBER + "SyncRoles onMessage holderLost notTold", "nobody is told that a lock's holder died", 200),
      new PlantedBug(MEMBER + "NodeCore onAsk rights sayThatItCame", "a node says that data came that did not", 200),
      new PlantedBug(MEMBER + "Succession reportRuns send tellHalf", "the next home is not told of all that a node has", 60),
      new PlantedBug(MEMBER + "Leaving onGathered onGathered goWithAll", "a node leaves before others have what only it has", 60),
      new PlantedBug(SERVICE + "startRead send readWhatChanges", "what its owner may write is read by RDMA", 20),
      new PlantedBug(HOME + "onConfirm bit forgetCopy", "nobody writes down who has a copy", 20),
      new PlantedBug(SERVICE + "onNodeLost bit keepTheDead", "the dead keep their copies", 60),
      new PlantedBug(SERVICE + "requesterLost bit ownerMayOnlyRead", "a reader is lost, and the owner, which may write still, counts as a reader", 200),
      new PlantedBug(SERVICE + "serveFromAnother getAsLong nobody", "copies of other nodes are not looked for", 200),
      new PlantedBug(SYNC + "LockNode handOn set keepLock", "a node that gives a lock back keeps it, too", 20),
      new PlantedBug(SYNC + "LockHome onNodeLost next keepWaiting", "a lock whose holder died goes to nobody", 200),
      new PlantedBug(ACCESS + "CheckedAccess tryRevoke hasInside seeNobody", "nobody waits for threads that are inside", 20),
      new PlantedBug(ACCESS + "CheckedArray await hold holdNothing", "while a thread waits for one minipage, those before may go", 20));

  /** Missing invalidations, which litmus shapes must show. */
  static final List<PlantedBug> OF_LITMUS = List.of(
      new PlantedBug(MEMBER + "NodeCore tryRevoke tryRevoke keepCopy", "a copy that is given up can be read still", 20),
      new PlantedBug(MEMBER + "NodeCore tryRevoke tryRevoke keepRightToWrite", "who shares what it could write may write still", 20),
      new PlantedBug(HOME + "onConfirm bit forgetCopy", "nobody writes down who has a copy", 20));

  private static final String RELEASE = "dev.weft.dsm.release.";

  /** Bugs of release consistency. */
  static final List<PlantedBug> OF_RELEASE = List.of(
      new PlantedBug(RELEASE + "ReleasePage fetched get forgetUpdates", "the content of a copy goes over updates that came while it was fetched", 40),
      new PlantedBug(RELEASE + "Gathering differences end goOn", "an update has elements that its sender has not changed", 40),
      new PlantedBug(RELEASE + "GroupArrivals take take takeLate", "updates are acknowledged before they are in their places", 40),
      new PlantedBug(RELEASE + "ReleaseCore gatherAll tryRevoke keepRight", "a twin goes, and threads write on", 40),
      new PlantedBug(RELEASE + "ReleasePage apply store forgetTwin", "an update of another node is told again as this node's own", 40),
      new PlantedBug(RELEASE + "GroupSends onMissing write repairNothing", "updates that were lost on the way to the group are not sent again", 60),
      new PlantedBug(RELEASE + "GroupSends ask send askNobody", "nobody is asked whether updates to the group have come", 60),
      new PlantedBug(RELEASE + "GroupArrivals onSent send sayThatItCame", "a node says that it has updates that were lost", 60));

  /** Bugs of release consistency that only show in a very rare order of messages: in the tests of its logic. */
  static final List<PlantedBug> OF_RELEASE_LOGIC = List.of(
      new PlantedBug(RELEASE + "ReleaseCore pump doneSeq everythingDone", "a release does not wait for its updates", 4),
      new PlantedBug(RELEASE + "ReleaseCore sendAnswers doneSeq everythingDone", "a copy is fetched that an update has not come to yet", 4),
      new PlantedBug(RELEASE + "Staging onAck taken takenByAll", "a release waits for the first node that has the updates only", 4),
      new PlantedBug(RELEASE + "Gathering contents told notTold", "a copy has what was never released", 4),
      new PlantedBug(RELEASE + "GroupArrivals onPart isWhole nearlyWhole", "updates are taken though a datagram of them is missing", 7),
      new PlantedBug(RELEASE + "GroupArrivals onPart isLater isAnother", "a datagram is taken whose slot has been used again", 7),
      new PlantedBug(RELEASE + "Gathering differences mustWait overtake", "updates to the group overtake an earlier change of the same element", 7));

  private DsmBugs() {}
}
