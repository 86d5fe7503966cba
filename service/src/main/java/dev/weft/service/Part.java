package dev.weft.service;

import com.typesafe.config.Config;
import java.nio.file.Path;

/**
 * The part of a service that runs in one JVM of a fabric. Its fields with picocli's {@code @Option} become options of the command that this JVM
 * runs; their names must differ from those of other services. Without options, a part starts a {@link Running} that only serves inspection. One
 * thread calls the methods, in the order below.
 */
public interface Part {
  /**
   * Returns {@code config}, overridden by this part's options.
   *
   * @throws IllegalArgumentException if the value of an option is invalid; the message names the option and says which values are valid
   */
  default Config applyTo(Config config) {
    return config;
  }

  /**
   * Checks that the options can be fulfilled, before anything starts.
   *
   * @throws picocli.CommandLine.ParameterException if the command line is wrong
   * @throws CommandFailure if this machine, or a setting, does not allow it
   */
  default void check(Launch launch) {}

  /**
   * Starts the service's roles in this JVM. If it throws, nothing remains except the nodes and resources that it gave to {@code host}.
   *
   * @throws CommandFailure if the roles cannot start, with the reason
   */
  Running start(Host host) throws Exception;

  /** Returns a small variant of this part for {@code weft train}: a few MiB, sockets and files in {@code directory}, its own settings. */
  default Part small(Path directory) {
    return this;
  }
}
