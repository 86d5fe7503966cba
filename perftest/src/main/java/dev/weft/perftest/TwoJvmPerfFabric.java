package dev.weft.perftest;

import com.typesafe.config.Config;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.node.Node;
import dev.weft.service.process.TwoJvms;
import java.nio.file.Path;
import java.util.List;

/** A fabric with the near node in this JVM and the far node in a second JVM, which runs {@code weft perftest-peer}. */
final class TwoJvmPerfFabric implements PerfFabric {
  /** Name of the far node. */
  public static final String FAR = TwoJvms.FAR;
  private static final String COMMAND = "perftest-peer";

  private final TwoJvms jvms;

  /**
   * Starts everything and returns when the far node offers its services.
   *
   * @param overrides settings that override the usual configuration; the far JVM only gets the path MTU
   * @throws dev.weft.service.CommandFailure if the driver or the far JVM cannot be started; the message has the end of the far JVM's log
   */
  public TwoJvmPerfFabric(Config overrides) {
    this(overrides, List.of());
  }

  /**
   * Does the same with further arguments of the far JVM.
   *
   * @param overrides as above
   * @param more further arguments of the far JVM
   */
  public TwoJvmPerfFabric(Config overrides, List<String> more) {
    jvms = new TwoJvms(COMMAND, overrides, more);
  }

  /** Does the same, but makes the directory of this run in {@code parent}. */
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

  /** Returns the host to which further devices of the near node are attached. */
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
