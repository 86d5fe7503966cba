package dev.weft.lab.sim.pager;

import dev.weft.hca.node.Node;
import dev.weft.pager.server.MemoryServer;

/** A host of the run: a name and its present node, which a crash replaces. */
final class SimHost {
  final int index;
  final String name;
  Node node;
  MemoryServer server;
  SimClient client;
  boolean isDown;
  /** Whether the switch may have discarded packets to it. */
  boolean stoodStill;
  /** Number of pauses, which may overlap. */
  int pauses;
  int incarnation;
  /** Number of memory servers started on it. */
  int serverRuns;

  SimHost(int index, String name) {
    this.index = index;
    this.name = name;
  }

  String path() {
    return "/user/" + name;
  }

  String serverPath() {
    return path() + "/memory-server-" + MemoryServer.SERVICE;
  }
}
