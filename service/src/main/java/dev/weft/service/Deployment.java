package dev.weft.service;

import java.nio.file.Path;
import java.util.List;

/** The part of a service for the first JVM of a fabric (that of {@code weft up}). It also decides which roles the other JVMs get. */
public interface Deployment extends Part {
  /** One line for the user, printed before anything starts; empty for none. */
  default String announcement(Launch launch) {
    return "";
  }

  /**
   * The command-line options for the service's {@link Service#member} part in a further JVM.
   *
   * @param member from 1 to {@code launch.jvms() - 1}
   */
  default List<String> argumentsOf(int member, Launch launch) {
    return List.of();
  }

  @Override
  default Deployment small(Path directory) {
    return this;
  }
}
