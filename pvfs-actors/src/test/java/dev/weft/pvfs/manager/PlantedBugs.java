package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.FileLock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Bugs to be planted in a manager; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code lose} in {@code onRequested}: who connects again has nothing open any more. */
  static void endSession(ManagerActor actor, ManagerSession session, String why) throws ReflectiveOperationException {
    Method end = ManagerActor.class.getDeclaredMethod("end", ManagerSession.class, String.class);
    end.setAccessible(true);
    try {
      end.invoke(actor, session, why);
    } catch (InvocationTargetException failed) {
      throw new IllegalStateException(failed.getCause());
    }
  }

  /** Instead of {@code get} in {@code unnamed}: a file goes with its last name though somebody has it open. */
  static Object nobodyHasIt(Map<?, ?> open, Object inode) {
    return null;
  }

  /** Instead of {@code endSession} in {@code end}: what a client had open stays open. */
  static void keepOpen(MetadataHandler handler, long session) {}

  /** Instead of {@code commit} in {@code effectEnded}: that daemons have done something is not on the disk when it is answered. */
  static int commitLater(NameSpaceHandler handler) {
    return Errno.OK;
  }

  // Locks.

  /** Instead of {@code excludes} in {@code isInTheWay}: one has a range for itself beside others that have it together. */
  static boolean excludesLikesOnly(FileLock one, FileLock other) {
    return one.type() == other.type() && one.excludes(other);
  }

  /** Instead of {@code replace} in {@code replace}: who unlocks a range unlocks all that it has of the file. */
  static List<FileLock> freeAll(List<FileLock> own, FileLock lock) {
    return lock.type() == FileLock.NONE ? List.of() : FileLock.replace(own, lock);
  }

  /** Instead of {@code owner} in {@code lock}: all programs of a client are one owner, and unlock what another one has locked. */
  static long oneOfSession(FileLock lock) {
    return 1;
  }

  /** Instead of {@code kind} in {@code begin}: nobody looks whether waiting would never end. */
  static int noRecordLock(FileLock lock) {
    return FileLock.FLOCK;
  }

  /** Instead of {@code claim} in {@code lock}: what was locked at the manager before is answered as locked, and is not. */
  static boolean forgetClaim(LockTable locks, long session, long inode, FileLock lock) {
    return true;
  }

  /** Instead of {@code beginGrace} in the constructor: new locks do not wait for those who had some at the manager before. */
  static void doNotWait(LockTable locks) {}

  /** Instead of {@code grant} in {@code endSession}: nobody gets what a lost client had locked before somebody else unlocks. */
  static void wakeNobody(LockTable locks, LockTable.Place place) {}

  /** Instead of {@code endSession} in {@code ended}: what a lost client had locked stays locked. */
  static void keepLocked(LockTable locks, long session) {}

  // Appends.

  /** Instead of {@code excludes} in {@code isInTheWay}: any number of clients have an append lock together. */
  static boolean shareAppends(FileLock one, FileLock other) {
    return one.kind() != FileLock.APPEND && one.excludes(other);
  }

  /** Instead of {@code forEach} in {@code want}: who has an append lock does not hear that somebody waits for it. */
  static void askNobody(Stream<?> holders, Consumer<?> ask) {}

  /** Instead of {@code keepNs} in {@code lose}: a client that has lost its connection has no time to come back. */
  static long keepNothing(ManagerSettings settings) {
    return 0;
  }
}
