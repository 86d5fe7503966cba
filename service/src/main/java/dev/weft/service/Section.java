package dev.weft.service;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A part of a JVM's inspection, read-only. It is asked on Akka's default dispatcher, once for each request, by several threads at a time, and
 * must not block. What comes of it is turned into JSON: records, maps, lists, strings, numbers; keys of memory do not belong into it. An
 * answer is waited for at most {@code weft.http.ask-timeout}.
 */
@FunctionalInterface
public interface Section {
  /**
   * What is at {@code path} below the section's route.
   *
   * @param path names, decoded; empty for the section itself
   * @param paging which part of long lists to show
   * @throws NotThereException if there is nothing of that name
   */
  CompletionStage<?> find(List<String> path, Paging paging);

  /** What the index shows, below the section's route: {@code ""} for itself, {@code /{name}} for entries. */
  default List<String> routes() {
    return List.of("");
  }

  /** One with nothing below it. */
  static Section of(Supplier<?> content) {
    return (path, paging) -> {
      if (!path.isEmpty()) {
        throw new NotThereException("there is nothing at " + String.join("/", path), "it has nothing below it");
      }
      Object value = content.get();
      return value instanceof CompletionStage<?> stage ? stage : CompletableFuture.completedFuture(value);
    };
  }
}
