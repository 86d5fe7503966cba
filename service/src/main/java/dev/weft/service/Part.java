package dev.weft.service;

import com.typesafe.config.Config;
import java.nio.file.Path;

/**
 * What a service does in one JVM of a fabric. Its fields with picocli's {@code @Option} become options of the command that this JVM runs;
 * their names must differ from those of other services. A part that is not asked to do anything starts a {@link Running} that only shows
 * what there is. Methods are called in the order below, on one thread.
 */
public interface Part {
  /**
   * The settings with what the options say.
   *
   * @throws IllegalArgumentException if an option cannot be; the message names it and says what would be right
   */
  default Config applyTo(Config config) {
    return config;
  }

  /**
   * Looks whether what was asked for is possible, before anything is started.
   *
   * @throws picocli.CommandLine.ParameterException if the command line is wrong
   * @throws CommandFailure if this machine, or a setting, does not allow it
   */
  default void check(Launch launch) {}

  /**
   * Starts the service's roles in this JVM. If it throws, it leaves nothing behind but what it gave to {@code host}.
   *
   * @throws CommandFailure with the reason why it cannot be
   */
  Running start(Host host) throws Exception;

  /** A small one of the kind, for {@code weft train}: a few MiB, sockets and files in {@code directory}, settings of its own. */
  default Part small(Path directory) {
    return this;
  }
}
