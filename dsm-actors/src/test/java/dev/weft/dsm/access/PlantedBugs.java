package dev.weft.dsm.access;

/** Bugs to be planted in access control; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code hasInside} in {@code tryRevoke}: nobody waits for threads that are inside. */
  static boolean seeNobody(Announcements announcements, int minipage, byte rights) {
    return false;
  }

  /** Instead of {@code hold} in {@code await}: while a thread waits for one minipage, those before may go. */
  static void holdNothing(Announcements.Slot slot, int first, int last, byte rights) {}
}
