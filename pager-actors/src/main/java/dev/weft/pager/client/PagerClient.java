package dev.weft.pager.client;

import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.Registration;
import java.lang.foreign.Arena;
import java.util.List;

/** Opens pager devices. Any thread. */
public final class PagerClient {
  private PagerClient() {}

  /** Called once with the result of opening a device, on the thread of the client's role; must not block or close the fabric. */
  public interface OpenListener {
    void onOpen(PagerDevice device);

    /** Opening has failed, and the client holds no memory at any server. {@code reason} names the server and its error. */
    void onFailed(String reason);
  }

  /**
   * Opens a device over areas of these servers, in this order. Allocates and registers the pool on the calling
   * thread; {@code listener} receives the result.
   *
   * @param name unique among the roles of the node
   * @param servers 1 to 16
   * @param helper runs the fabric's hardware on a waiting thread ({@code HardwareDispatcher::help}), or null
   * @throws IllegalArgumentException if the node has a device of that name; then nothing remains
   * @throws dev.weft.hca.verbs.VerbsException if the pool cannot be registered; then nothing remains
   */
  public static void open(Node node, String name, List<ServerSpec> servers, PagerSettings settings, PagerDevice.Helper helper,
      OpenListener listener) {
    AreaMap areas = new AreaMap(servers.stream().mapToLong(ServerSpec::areaBytes).toArray());
    ProtectionDomain pd = node.hca().allocPd();
    // An automatic arena, because packets in flight may refer to the pool after the device is closed.
    MemoryRegion pool = null;
    try {
      pool = node.hca().regMr(pd, node.hca().allocMemory(Arena.ofAuto(), settings.registeredBytes()),
          Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE
              | (settings.registration() == Registration.UNPINNED ? Access.ON_DEMAND : 0));
      PagerDevice device = new PagerDevice(settings, areas, pool, helper);
      node.spawnRole(PagerClientActor.create(node, servers, settings, pd, device, listener), "pager-client-" + name,
          settings.context());
    } catch (RuntimeException | OutOfMemoryError e) {
      if (pool != null) {
        node.hca().deregMr(pool);
      }
      node.hca().deallocPd(pd);
      throw e;
    }
  }
}
