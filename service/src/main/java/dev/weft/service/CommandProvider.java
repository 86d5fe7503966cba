package dev.weft.service;

import java.util.List;

/**
 * Adds subcommands to {@code weft}. {@link java.util.ServiceLoader} finds it: a jar names its provider in {@code
 * META-INF/services/dev.weft.service.CommandProvider}. A {@link Service} adds its own subcommands and needs no such entry.
 */
public interface CommandProvider {
  /**
   * Returns new objects with picocli's {@code @Command}, or {@code CommandSpec}s, in the order in which help shows them. Called once for each
   * command line that is parsed. The names must be unique among all subcommands.
   */
  List<Object> commands();

  /**
   * Returns new subcommands that this jar adds to one of {@code weft}'s subcommands, which another jar may have brought. Called once for each
   * command line that is parsed.
   *
   * @param command name of the subcommand of {@code weft}
   */
  default List<Object> commandsBelow(String command) {
    return List.of();
  }
}
