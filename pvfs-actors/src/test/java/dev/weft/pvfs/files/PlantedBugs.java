package dev.weft.pvfs.files;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.meta.EventReader;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

/** Bugs to be planted in the library side of a file system; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private static final Map<DataClient, Map<Long, IoTask>> STATS = new WeakHashMap<>();

  private PlantedBugs() {}

  /** Instead of {@code isHeardWithin} in {@code hold}: however long the manager has not been heard. */
  static boolean believe(EventReader events, long ns) {
    return true;
  }

  /** Instead of {@code isSince} in {@code fence}: the same. */
  static boolean believeSince(EventReader events, long askedNs, long ns) {
    return true;
  }

  /** Instead of {@code stat} in {@code write}: an append takes for the end what daemons have said before the last append of this client. */
  static IoTask endBefore(DataClient client, long inode, Striping striping) {
    IoTask now = client.stat(inode, striping);
    IoTask before = STATS.computeIfAbsent(client, _ -> new HashMap<>()).put(inode, now);
    return before == null || now.errno() != Errno.OK ? now : before;
  }
}
