package dev.weft.service;

import dev.weft.hca.node.Node;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A service that runs in a JVM. Any thread may call the methods that report state; they must not block. */
public interface Running extends AutoCloseable {
  /** The service's sections of the inspection, by the first name of their route below {@code /weft}. The main one has the service's name. */
  default Map<String, Section> sections() {
    return Map.of();
  }

  /** Rows for {@code weft status}. */
  default CompletionStage<List<StatusTable>> tables() {
    return CompletableFuture.completedFuture(List.of());
  }

  /** The current alarms. */
  default List<Alarm> alarms() {
    return List.of();
  }

  /** The reason why this JVM is not ready, for {@code /ready}; empty if it is. */
  default Optional<String> problem() {
    return Optional.empty();
  }

  /** Lines that the command prints for the user who started it. */
  default List<String> describe() {
    return List.of();
  }

  /** URIs at which clients reach the service, for this process's record in the state directory. */
  default List<String> endpoints() {
    return List.of();
  }

  /**
   * Serves a request that a command of this user sends by {@link dev.weft.service.process.ControlSocket#askUp}. Several threads may call it.
   *
   * @return lines for the user of the command
   * @throws CommandFailure if the request fails, with the reason
   */
  default List<String> answer(List<String> words) {
    throw new CommandFailure("the fabric does not know the request " + words + "; use the same version of Weft as the fabric");
  }

  /**
   * Like {@link #answer(List)}, for requests that carry data or that must end when their command ends.
   *
   * @param asker the command that waits for the answer
   */
  default List<String> answer(List<String> words, Asker asker) {
    return answer(words);
  }

  /** Checks for changes, such as nodes that come and go. In the first JVM, a thread of this service calls it every second. */
  default void look() {}

  /** Puts this service's device into a node that has none, for {@link Host#equip}. */
  default void equip(Node node) {
    throw new CommandFailure("this service has no device to put into a node");
  }

  /** Runs a typical load for about {@code time}, so that {@code weft train} can record it. */
  default void exercise(Duration time) throws Exception {}

  /** Stops whatever would prevent the fabric from closing; the fabric closes the rest. Called once. */
  @Override
  default void close() {}
}
