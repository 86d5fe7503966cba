package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.PlantedBug;
import java.util.List;

/** Bugs of a file system that its simulation must find. */
final class PvfsBugs {
  private static final String DAEMON = "dev.weft.pvfs.daemon.";
  private static final String CLIENT = "dev.weft.pvfs.client.";
  private static final String FILES = "dev.weft.pvfs.files.";
  private static final String MANAGER = "dev.weft.pvfs.manager.";

  static final List<PlantedBug> ALL = List.of(
      new PlantedBug(DAEMON + "MemoryCore write pump answerEarly", "a write is answered before its data has come", 200),
      new PlantedBug(DAEMON + "MemoryCore accept isBehind doNotWait", "a file is cut or removed under writes that are under way", 200),
      new PlantedBug(DAEMON + "StripePool clean fill keepWhatIsThere", "a chunk of one file shows in another one", 200),
      new PlantedBug(DAEMON + "StripePool cleanPage fill keepWhatIsThere", "a page of one file shows in another one", 200),
      new PlantedBug(DAEMON + "StripeMemory punchChunk fill keepWhatIsThere", "a hole shows what was there", 200),
      new PlantedBug(DAEMON + "StripeMemory punchPages fill keepWhatIsThere", "a hole within a page shows what was there", 200),
      new PlantedBug(DAEMON + "MemoryCore sendRead answered leakOperation", "a daemon loses what a client may have under way", 200),
      new PlantedBug(DAEMON + "IoDaemonActor end forget keepOperations", "what a lost client had under way stays booked", 200),
      new PlantedBug(CLIENT + "ClientCore endIfOver mustReadAgain readOnce", "a short read shows as a hole", 200),
      new PlantedBug(CLIENT + "ClientCore endIfOver mustAskLengths askNobody", "a read does not say where the file ends", 200),
      new PlantedBug(CLIENT + "Cutter cut slotOf slotBefore", "the begin of a stripe goes to the daemon of the one before", 200),
      new PlantedBug(CLIENT + "ClientCore take zeroTail keepTail", "memory behind the end of a local object is not zeroed", 200),
      new PlantedBug(CLIENT + "ClientCore end release keepRegistered", "memory of the program stays registered", 200),
      new PlantedBug(CLIENT + "ClientCore onReply freeSlot keepSlot", "a lent buffer is not used again", 200),
      new PlantedBug(CLIENT + "ClientCore askAll count countWithoutLast", "the last daemon of a file is not asked", 200),
      new PlantedBug(MANAGER + "ManagerActor onRequested lose endSession", "a session ends when its client connects again", 200),
      new PlantedBug(MANAGER + "Opens unnamed get nobodyHasIt", "a file goes though somebody has it open", 200),
      new PlantedBug(MANAGER + "ManagerActor end endSession keepOpen", "what a lost client had open stays open", 200),
      new PlantedBug("dev.weft.pvfs.store.MemoryStore commit commit doNotSync", "an answer does not wait for the disk", 200),
      new PlantedBug(DAEMON + "FileAccess tryRun sync answerUnsynced", "a sync is answered before the disk has synced", 200),
      new PlantedBug(DAEMON + "IoDaemon simulated boot keepBoot", "a daemon keeps its identity over a power failure", 200),
      new PlantedBug(CLIENT + "ClientCore meet isAnother isTheSame", "a client takes every daemon for the one before", 200),
      new PlantedBug(DAEMON + "CapabilityGuard check verify trust", "a daemon takes capabilities that nobody has marked", 200),
      new PlantedBug(DAEMON + "CapabilityGuard check allows allowAll", "a capability of one file is good for another", 200),
      new PlantedBug(DAEMON + "CapabilityGuard check getAsLong longAgo", "a capability does not expire", 200),
      new PlantedBug(MANAGER + "LockTable isInTheWay excludes excludesLikesOnly", "a lock is granted to two", 200),
      new PlantedBug(MANAGER + "LockTable replace replace freeAll", "who unlocks a range unlocks all of the file", 200),
      new PlantedBug(MANAGER + "LockTable endSession grant wakeNobody", "the locks of a dead session wake nobody who waits for them", 200),
      new PlantedBug(DAEMON + "DaemonCore answer over noteAsDone", "a write that was refused is answered as done when it comes again", 200),
      new PlantedBug(MANAGER + "NameSpaceHandler effectEnded commit commitLater", "a cut is answered before the disk knows that daemons have done it", 200),
      new PlantedBug(DAEMON + "StripeMemory fillChunk clear keepSum", "the checksum of a chunk is an old one", 200),
      new PlantedBug(DAEMON + "DiskCore onRead sumRead sumToLengthOfNow", "a checksum ends where the object did before another write made it longer", 200));

  /** Bugs that need more seeds; the tests look for them only with {@code -Dweft.sim.rare=true}. */
  static final List<PlantedBug> RARE = List.of(
      new PlantedBug(DAEMON + "ObjectStore write syncMarks doNotSyncMarks", "a torn block is taken for damaged after a power failure", 200),
      new PlantedBug(DAEMON + "ObjectStore write write takeNoHeed", "a write for which a disk has no room is answered as done", 200),
      new PlantedBug(DAEMON + "ObjectStore lambda$sync* syncName doNotSyncName", "a file that was synced is gone after a power failure", 200),
      new PlantedBug(MANAGER + "LockTable lock owner oneOfSession", "an unlock frees the range of another program", 200),
      new PlantedBug(MANAGER + "LockTable begin kind noRecordLock", "two wait for each other's locks for ever", 200),
      new PlantedBug(MANAGER + "Coordination lock claim forgetClaim", "a lock is lost when the manager starts again", 200),
      new PlantedBug(MANAGER + "Coordination <init> beginGrace doNotWait", "a manager that starts again grants what others have locked", 200),
      new PlantedBug(MANAGER + "Coordination ended endSession keepLocked", "what a lost client had locked stays locked", 200),
      new PlantedBug("dev.weft.pvfs.meta.MetaClientActor claimAgain claims claimNothing", "a client forgets its locks when the manager starts again", 200),
      new PlantedBug(DAEMON + "ObjectStore sync syncOnce forgetFailure", "a sync that failed once is taken for done the next time", 200),
      new PlantedBug(DAEMON + "Transfers give fill keepWhatIsThere", "a hole shows what was sent before", 200),
      new PlantedBug(CLIENT + "PvfsClientActor$Connections onLost down forgetLast", "a write is torn where a connection is lost", 200));

  /** Bugs of clients that append. */
  static final List<PlantedBug> OF_APPENDS = List.of(
      new PlantedBug(CLIENT + "ClientCore pump fence openToAll", "an append is sent whatever has become of its lock", 200),
      new PlantedBug(FILES + "Appends fence isSince believeSince + " + FILES + "Appends hold isHeardWithin believe",
          "a client that was not heard for long believes to hold the lock still, and so does its fence", 200),
      new PlantedBug("dev.weft.pvfs.meta.EventReader lockLost forEach tellNobody", "a client does not take note that it has lost a lock", 200),
      new PlantedBug(MANAGER + "LockTable isInTheWay excludes shareAppends", "two have the append lock", 200),
      new PlantedBug(MANAGER + "LockTable want forEach askNobody", "who has the append lock is not asked for it", 200),
      new PlantedBug(MANAGER + "Coordination lock claim forgetClaim", "a lock is lost when the manager starts again", 200),
      new PlantedBug(MANAGER + "Coordination <init> beginGrace doNotWait", "a manager that starts again grants what others have locked", 200),
      new PlantedBug(MANAGER + "ManagerActor lose keepNs keepNothing",
          "the manager gives away the locks of a client as soon as it has lost its connection", 200),
      new PlantedBug(FILES + "Appends write stat endBefore", "the end of the file is one from before the lock", 200));

  private PvfsBugs() {}
}
