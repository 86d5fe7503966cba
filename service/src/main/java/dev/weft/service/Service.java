package dev.weft.service;

import java.util.List;

/**
 * What plugs into Weft at one place. Found by {@link java.util.ServiceLoader}: its jar names it in {@code
 * META-INF/services/dev.weft.service.Service}. Settings need no word here: the jar's {@code reference.conf} has them. Any thread.
 */
public interface Service extends CommandProvider {
  /** Unique; lower-case letters, digits and dashes. Names its settings ({@code weft.<name>}) and its route ({@code /weft/<name>}). */
  String name();

  /** Version of its protocol and of what it shows, for people. */
  String version();

  @Override
  default List<Object> commands() {
    return List.of();
  }
}
