package dev.weft.lab.measure;

import com.typesafe.config.ConfigFactory;
import dev.weft.service.process.TwoJvms;
import java.util.List;

/** Two JVMs of this machine, for experiments: the far one offers what each of them needs. */
public final class LabJvms {
  /** Of the far JVM. */
  public static final String COMMAND = "lab-peer";

  private LabJvms() {}

  /**
   * Starts them with the usual configuration.
   *
   * @throws dev.weft.service.CommandFailure if that fails
   */
  public static TwoJvms start() {
    return new TwoJvms(COMMAND, ConfigFactory.empty(), List.of());
  }
}
