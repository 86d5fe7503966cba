package dev.weft.perftest;

import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.hca.node.Node;

/** The two nodes of a measurement. The far node offers {@link PerfService} and may be in another JVM. */
interface PerfFabric extends AutoCloseable {
  Node near();

  String farName();

  /** Returns the hardware dispatcher of the near node. */
  HardwareDispatcher dispatcher();

  /** Returns the number of JVMs of the two nodes: 1 or 2. */
  int jvms();

  /** Returns the bytes of payload that this JVM's trunks have copied so far. Not on the hardware thread. */
  long bytesCopiedByTrunks();

  @Override
  void close();
}
