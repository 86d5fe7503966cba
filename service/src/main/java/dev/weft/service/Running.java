package dev.weft.service;

import dev.weft.hca.node.Node;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A service that runs in a JVM. What shows something of it may be called by any thread and must not block. */
public interface Running extends AutoCloseable {
  /** Parts of the inspection, by the first name of their route below {@code /weft}; the main one is named like the service. */
  default Map<String, Section> sections() {
    return Map.of();
  }

  /** Rows for {@code weft status}. */
  default CompletionStage<List<StatusTable>> tables() {
    return CompletableFuture.completedFuture(List.of());
  }

  /** What an operator should know now. */
  default List<Alarm> alarms() {
    return List.of();
  }

  /** Why this JVM does not do all that it is there for; empty if it does. What {@code /ready} says. */
  default Optional<String> problem() {
    return Optional.empty();
  }

  /** Lines for the person who started it. */
  default List<String> describe() {
    return List.of();
  }

  /** Where clients find it, as URIs, for the record of this process in the state directory. */
  default List<String> endpoints() {
    return List.of();
  }

  /**
   * Does what a command of this user asks for by {@link dev.weft.service.process.ControlSocket#askUp}; several threads may call it.
   *
   * @return lines for the person who asked
   * @throws CommandFailure with the reason why not
   */
  default List<String> answer(List<String> words) {
    throw new CommandFailure("the fabric does not know the request " + words + "; is it of another version?");
  }

  /**
   * The same, for what is to end with the command that has asked for it.
   *
   * @param asker tells when that goes
   */
  default List<String> answer(List<String> words, Asker asker) {
    return answer(words);
  }

  /** Looks after what changes by itself, such as nodes that come and go. Called every second by a thread of this service, in the first JVM. */
  default void look() {}

  /** Puts this service's device into a node that has none, for {@link Host#equip}. */
  default void equip(Node node) {
    throw new CommandFailure("this service has no device to put into a node");
  }

  /** Does what its users do, for about so long, so that {@code weft train} can record it. */
  default void exercise(Duration time) throws Exception {}

  /** Ends what would hinder the end of the fabric; what else there is ends with it. Called once. */
  @Override
  default void close() {}
}
