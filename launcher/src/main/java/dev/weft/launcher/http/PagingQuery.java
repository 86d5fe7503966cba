package dev.weft.launcher.http;

import akka.http.javadsl.model.Query;
import akka.japi.Pair;
import dev.weft.service.Paging;

/**
 * The query of a request.
 *
 * @param pretty whether the answer is indented
 */
record PagingQuery(Paging paging, boolean pretty) {
  static PagingQuery of(Query query, int listMax) {
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
    return new PagingQuery(new Paging(offset, limit), pretty);
  }

  private static int number(Pair<String, String> parameter, int low, int high) {
    try {
      int value = Integer.parseInt(parameter.second());
      if (value >= low && value <= high) {
        return value;
      }
    } catch (NumberFormatException e) {
      // The error below covers this, as any other invalid value.
    }
    throw HttpError.badRequest(parameter.first() + " is \"" + parameter.second() + "\"",
        parameter.first() + " is a number from " + low + " to " + high);
  }
}
