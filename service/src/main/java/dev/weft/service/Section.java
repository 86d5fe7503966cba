package dev.weft.service;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A part of a JVM's read-only inspection. Threads of Akka's default dispatcher call it once for each request, several at a time; it must not
 * block. The result becomes JSON, so it consists of records, maps, lists, strings and numbers. It must not contain memory keys. A request fails
 * if the result takes longer than {@code weft.http.ask-timeout}.
 */
@FunctionalInterface
public interface Section {
  /**
   * Returns the state at {@code path} below the section's route.
   *
   * @param path names, decoded; empty for the section itself
   * @param paging which part of long lists to show
   * @throws NotThereException if nothing has that name
   */
  CompletionStage<?> find(List<String> path, Paging paging);

  /** The routes that the index lists, below the section's route: {@code ""} for the section itself, {@code /{name}} for entries. */
  default List<String> routes() {
    return List.of("");
  }

  /** Creates a section that has no entries below it. */
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
