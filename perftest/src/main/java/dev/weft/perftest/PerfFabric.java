package dev.weft.perftest;

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

  /** Bytes of payload that this JVM's trunks have copied so far. Not on the hardware thread. */
  long bytesCopiedByTrunks();

  @Override
  void close();
}
