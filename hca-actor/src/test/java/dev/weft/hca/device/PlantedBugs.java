package dev.weft.hca.device;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.transport.Qp;
import java.lang.reflect.Method;

/**
 * Bugs to be planted in place of a call of the device; each method has the parameters of the call that it replaces, with the
 * receiver first. Loaded together with the device by a class loader of its own, so that nothing of this is in the main tree.
 */
public final class PlantedBugs {
  private static int count;

  private PlantedBugs() {}

  /** Instead of {@code returnCredit} in {@code PacketEngine.onPacket}: now and then a buffer is not given back. */
  static void leakCredit(HcaPort port, int lane) {
    if (++count % 200 != 0) {
      port.returnCredit(lane);
    }
  }

  /** Instead of the comparison in {@code PacketEngine.accepts}'s way of a group: now and then one of several members gets nothing. */
  static boolean forgetMember(PacketEngine core, Qp qp, Packet packet) {
    return ++count % 10 != 0 && (boolean) callWith(core, "accepts", qp, packet);
  }

  private static Object callWith(Object owner, String name, Object... arguments) {
    try {
      for (Method method : owner.getClass().getDeclaredMethods()) {
        if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
          method.setAccessible(true);
          return method.invoke(owner, arguments);
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
    throw new IllegalStateException("no method " + name);
  }
}
