package dev.weft.pvfs.daemon;

import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.CapabilityKey;
import dev.weft.pvfs.wire.DaemonRequest;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Bugs to be planted in an I/O daemon; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private static int calls;

  private PlantedBugs() {}

  private static Object field(Object of, String name) throws ReflectiveOperationException {
    Field field = of.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(of);
  }

  private static void call(Object of, String name, Class<?> type, Object argument) throws ReflectiveOperationException {
    Method method = of.getClass().getDeclaredMethod(name, type);
    method.setAccessible(true);
    method.invoke(of, argument);
  }

  /** Instead of {@code pump} in {@code write}: the answer does not wait for the data. */
  static void answerEarly(MemoryCore core, DaemonClient client) throws ReflectiveOperationException {
    List<DaemonOperation> begun = new ArrayList<>(client.posting);
    call(core, "pump", DaemonClient.class, client);
    for (DaemonOperation op : begun) {
      if (!client.posting.contains(op) && ((Map<?, ?>) field(core, "moving")).remove(op.number) != null) {
        call(core, "written", DaemonOperation.class, op);
      }
    }
  }

  /** Instead of {@code isBehind} in {@code accept}: nobody waits for writes that are under way. */
  static boolean doNotWait(MemoryCore core, DaemonOperation op) {
    return false;
  }

  /** Instead of {@code fill} in {@code clean}: chunks are used again as they are. */
  static MemorySegment keepWhatIsThere(MemorySegment memory, byte value) {
    return memory;
  }

  /** Instead of {@code answered} in {@code sendRead}: of what a client may have under way, one in eight is lost. */
  static void leakOperation(DaemonClient client) {
    if (++calls % 8 != 0) {
      client.answered();
    }
  }

  /** Instead of {@code over} in {@code answer}: a change that is refused counts as done, so that it is answered as done when it comes again. */
  static void noteAsDone(DaemonCore core, DaemonOperation op, boolean isDone) throws ReflectiveOperationException {
    Method over = DaemonCore.class.getDeclaredMethod("over", DaemonOperation.class, boolean.class);
    over.setAccessible(true);
    over.invoke(core, op, true);
  }

  /** Instead of {@code clear} in {@code fillChunk}: the checksum of a chunk is remembered over the next write. */
  static void keepSum(BitSet known, int chunk) {}

  /** Instead of {@code sumRead} in {@code onRead}: each part of a read is summed up to the length that the object has then, the answer tells the last. */
  static void sumToLengthOfNow(DiskCore core, DiskJob part) throws ReflectiveOperationException {
    part.op.objectBytes = part.objectBytes;
    call(core, "sumRead", DiskJob.class, part);
  }

  /** Instead of {@code forget} in {@code end}: what a client had under way stays booked. */
  static void keepOperations(DaemonCore core, DaemonClient client) {}

  // Daemons with disks.

  /** Instead of {@code boot} in {@code simulated}: a daemon does not tell that its machine has failed. */
  static long keepBoot(Disk disk) {
    return 0;
  }

  /** Instead of {@code sync} in {@code tryRun}: a sync is answered, and nothing is on the disk. */
  static void answerUnsynced(ObjectStore store, long object) {}

  /** Instead of {@code syncMarks} in {@code write}: that a block changes is written down, but not to the disk, before it does. */
  static void doNotSyncMarks(ObjectStore store, long object) {}

  /** Instead of {@code write} in {@code write}: what the disk has no room for is answered as if it were there. */
  static void takeNoHeed(Disk.File file, long at, MemorySegment from) {
    try {
      file.write(at, from);
    } catch (DiskException full) {
      calls++;
    }
  }

  /** Instead of {@code syncName} in {@code sync}: a file that is new may be gone with all that was synced. */
  static void doNotSyncName(Disk disk, long object) {}

  /** Instead of {@code syncOnce} in {@code sync}: what failed once is taken for done the next time. */
  static void forgetFailure(LocalObject object, Runnable sync) {
    sync.run();
  }

  // Capabilities.

  /** Instead of {@code verify} in {@code check}: everybody can make one. */
  static Capability trust(CapabilityKey key, ByteBuffer shown) {
    int access = shown.get(1) & Capability.ACCESS_MASK;
    return new Capability(shown.getLong(4), access, shown.getLong(12), shown.getLong(20));
  }

  /** Instead of {@code allows} in {@code check}: one for any file, and for anything, is one for all. */
  static boolean allowAll(Capability shown, DaemonRequest request, int wanted) {
    return true;
  }

  /** Instead of {@code getAsLong} in {@code check}: none expires. */
  static long longAgo(LongSupplier wallNs) {
    return 0;
  }
}
