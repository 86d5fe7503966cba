package dev.weft.service;

import java.util.List;

/**
 * Brings subcommands of {@code weft}. Found by {@link java.util.ServiceLoader}: a jar names its provider in {@code
 * META-INF/services/dev.weft.service.CommandProvider}. A {@link Service} brings its own and needs no such entry.
 */
public interface CommandProvider {
  /**
   * New objects with picocli's {@code @Command}, or its {@code CommandSpec}s, in the order in which help shows them; called once for each
   * command line that is parsed. Their names must be unique among all subcommands.
   */
  List<Object> commands();
}
