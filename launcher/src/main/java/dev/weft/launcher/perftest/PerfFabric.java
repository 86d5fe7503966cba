package dev.weft.launcher.perftest;

import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.hca.node.Node;

/** Two nodes to measure between; the far one offers {@link PerfService} and may be in another JVM. */
interface PerfFabric extends AutoCloseable {
  Node near();

  String farName();

  /** The hardware dispatcher of the near node. */
  HardwareDispatcher dispatcher();

  /** JVMs that the two nodes live in. */
  int jvms();

  /** How often the way between the nodes copies each byte: a trunk does once, into its publication, where the far HCA finds it. */
  int copiesOnTheWay();

  @Override
  void close();
}
