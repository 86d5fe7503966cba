package dev.weft.service;

import java.util.List;

/**
 * Which part of long lists is asked for.
 *
 * @param offset entries to leave out
 * @param limit entries to show
 */
public record Paging(int offset, int limit) {
  /**
   * A part of a list.
   *
   * @param total entries of the whole list
   * @param offset of the first one shown
   */
  public record Page<T>(int total, int offset, List<T> items) {}

  /** The part of {@code all}. */
  public <T> Page<T> of(List<T> all) {
    int from = Math.min(offset, all.size());
    int to = from + Math.min(limit, all.size() - from);
    return new Page<>(all.size(), from, List.copyOf(all.subList(from, to)));
  }
}
