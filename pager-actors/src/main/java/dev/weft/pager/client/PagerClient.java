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

  /** Told once what became of an attempt to open a device, on the thread of the client's role; must not block, nor close the fabric. */
  public interface OpenListener {
    void onOpen(PagerDevice device);

    /** No server is held; {@code reason} names the server and what it said. */
    void onFailed(String reason);
  }

  /**
   * Opens a device made of areas of these servers, in this order. Allocates and registers the pool on the calling
   * thread; the rest is told to {@code listener}.
   *
   * @param name unique among the roles of the node
   * @param servers 1 to 16
   * @param helper runs the fabric's hardware on a waiting thread ({@code HardwareDispatcher::help}), or null
   * @throws IllegalArgumentException if the node has a device of that name
   * @throws dev.weft.hca.verbs.VerbsException if the pool cannot be registered; nothing is held then, nor with the former
   */
  public static void open(Node node, String name, List<ServerSpec> servers, PagerSettings settings, PagerDevice.Helper helper,
      OpenListener listener) {
    AreaMap areas = new AreaMap(servers.stream().mapToLong(ServerSpec::areaBytes).toArray());
    ProtectionDomain pd = node.hca().allocPd();
    // Packets in flight may refer to the pool after the device is closed, hence a collected arena.
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
