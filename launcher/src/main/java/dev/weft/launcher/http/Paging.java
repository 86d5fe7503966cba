package dev.weft.launcher.http;

import akka.http.javadsl.model.Query;
import akka.japi.Pair;
import java.util.List;

/**
 * Which part of a long list is asked for, from the query of a request.
 *
 * @param offset entries to leave out
 * @param limit entries to show
 * @param pretty whether the answer is indented
 */
record Paging(int offset, int limit, boolean pretty) {
  /**
   * A part of a list.
   *
   * @param total entries of the whole list
   * @param offset of the first one shown
   */
  record Page<T>(int total, int offset, List<T> items) {}

  static Paging of(Query query, int listMax) {
    int offset = 0;
    int limit = listMax;
    boolean pretty = false;
    for (Pair<String, String> parameter : query.toList()) {
      switch (parameter.first()) {
        case "offset" -> offset = number(parameter, 0, Integer.MAX_VALUE);
        case "limit" -> limit = number(parameter, 0, listMax);
        case "pretty" -> pretty = !parameter.second().equals("false");
        default -> throw HttpError.badRequest("unknown parameter " + parameter.first(), "parameters are offset, limit and pretty");
      }
    }
    return new Paging(offset, limit, pretty);
  }

  private static int number(Pair<String, String> parameter, int low, int high) {
    try {
      int value = Integer.parseInt(parameter.second());
      if (value >= low && value <= high) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Answered below, as any other value that is not possible.
    }
    throw HttpError.badRequest(parameter.first() + " is \"" + parameter.second() + "\"",
        parameter.first() + " is a number from " + low + " to " + high);
  }

  <T> Page<T> of(List<T> all) {
    int from = Math.min(offset, all.size());
    int to = from + Math.min(limit, all.size() - from);
    return new Page<>(all.size(), from, List.copyOf(all.subList(from, to)));
  }
}
