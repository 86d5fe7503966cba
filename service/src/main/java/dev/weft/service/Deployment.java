package dev.weft.service;

import java.nio.file.Path;
import java.util.List;

/** What a service does in the first JVM of a fabric, that of {@code weft up}, and which roles it puts into the others. */
public interface Deployment extends Part {
  /** One line for the person who waits, before anything is started; empty for none. */
  default String announcement(Launch launch) {
    return "";
  }

  /**
   * Options, as words of a command line, of the service's {@link Service#member} part in a further JVM.
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
