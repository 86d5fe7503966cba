package dev.weft.pvfs.daemon;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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

  /** Instead of {@code giveBack} in {@code onCompleted}: of what a client may have under way, one in eight is lost. */
  static void leakOperation(DaemonClient client, DaemonOperation operation) {
    if (++calls % 8 != 0) {
      client.giveBack(operation);
    }
  }

  /** Instead of {@code forget} in {@code end}: what a client had under way stays booked. */
  static void keepOperations(DaemonCore core, DaemonClient client) {}
}
