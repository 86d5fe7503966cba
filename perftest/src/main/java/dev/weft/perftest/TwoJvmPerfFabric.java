package dev.weft.perftest;

import com.typesafe.config.Config;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.node.Node;
import dev.weft.service.process.TwoJvms;
import java.nio.file.Path;
import java.util.List;

/** The near node here, the far one in a second JVM that runs {@code weft perftest-peer}. */
final class TwoJvmPerfFabric implements PerfFabric {
  /** Name of the far node. */
  public static final String FAR = TwoJvms.FAR;
  private static final String COMMAND = "perftest-peer";

  private final TwoJvms jvms;

  /**
   * Starts everything and returns when the far node offers its services.
   *
   * @param overrides settings over the usual configuration; the far JVM takes over the path MTU only
   * @throws dev.weft.service.CommandFailure if the driver or the far JVM cannot be started, with the end of the far JVM's log
   */
  public TwoJvmPerfFabric(Config overrides) {
    this(overrides, List.of());
  }

  /**
   * The same.
   *
   * @param more further arguments of the far JVM
   */
  public TwoJvmPerfFabric(Config overrides, List<String> more) {
    jvms = new TwoJvms(COMMAND, overrides, more);
  }

  /** The same elsewhere: the directory of this run is made in {@code parent}. */
  TwoJvmPerfFabric(Config overrides, Path parent, List<String> more) {
    jvms = new TwoJvms(COMMAND, overrides, parent, more);
  }

  @Override
  public Node near() {
    return jvms.near();
  }

  @Override
  public String farName() {
    return FAR;
  }

  /** Where further devices of the near node are attached. */
  public DeviceHost host() {
    return jvms.host();
  }

  @Override
  public HardwareDispatcher dispatcher() {
    return jvms.dispatcher();
  }

  @Override
  public int jvms() {
    return 2;
  }

  @Override
  public long bytesCopiedByTrunks() {
    return jvms.bytesCopiedByTrunks();
  }

  @Override
  public void close() {
    jvms.close();
  }
}
