package dev.weft.lab.sim.pager;

import dev.weft.fabric.time.VirtualSystem;
import dev.weft.lab.kit.RunHost;
import dev.weft.pager.server.MemoryServer;

/** A host with a memory server, a client, or neither. */
final class SimHost extends RunHost {
  MemoryServer server;
  SimClient client;
  /** Whether the switch may have discarded packets to it. */
  boolean stoodStill;
  /** Number of memory servers started on it. */
  int serverRuns;

  SimHost(int index, String name) {
    super(index, name);
  }

  @Override
  public void pause(VirtualSystem system) {
    stoodStill = true;
    super.pause(system);
  }

  String serverPath() {
    return path() + "/memory-server-" + MemoryServer.SERVICE;
  }
}
