package dev.weft.pvfs.manager;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;

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
}
