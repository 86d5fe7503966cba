package dev.weft.perftest;

import com.typesafe.config.Config;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.NodeLink;

/** A fabric with both nodes in this JVM. */
final class LocalPerfFabric implements PerfFabric {
  private final LocalFabric fabric;
  private final Node near;
  private final Node far;
  private final PerfService service;

  /** Starts a fabric; {@code link} lays the cables of both nodes. */
  LocalPerfFabric(Config overrides, NodeLink link) {
    fabric = LocalFabric.start(overrides);
    near = fabric.addNode("near", link);
    far = fabric.addNode("far", link);
    service = PerfService.offer(far, fabric.dispatcher(), () -> 0);
  }

  @Override
  public Node near() {
    return near;
  }

  @Override
  public String farName() {
    return far.name();
  }

  @Override
  public HardwareDispatcher dispatcher() {
    return fabric.dispatcher();
  }

  @Override
  public int jvms() {
    return 1;
  }

  @Override
  public long bytesCopiedByTrunks() {
    return 0;
  }

  @Override
  public void close() {
    service.close();
    fabric.close();
  }
}
