package dev.weft.service;

import java.util.List;

/**
 * The part of a long list that a request asks for.
 *
 * @param offset number of entries to skip
 * @param limit largest number of entries to show
 */
public record Paging(int offset, int limit) {
  /**
   * A part of a list.
   *
   * @param total number of entries of the whole list
   * @param offset index of the first entry shown
   */
  public record Page<T>(int total, int offset, List<T> items) {}

  /** Returns the requested part of {@code all}. */
  public <T> Page<T> of(List<T> all) {
    int from = Math.min(offset, all.size());
    int to = from + Math.min(limit, all.size() - from);
    return new Page<>(all.size(), from, List.copyOf(all.subList(from, to)));
  }
}
