package dev.weft.launcher.http;

import akka.http.javadsl.model.StatusCode;
import akka.http.javadsl.model.StatusCodes;

/** The error for a request that cannot be answered: what was wrong, and what would be right. */
final class HttpError extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The body of the answer. */
  record Body(String error, String hint) {}

  private final transient StatusCode status;
  private final transient Body body;

  private HttpError(StatusCode status, String error, String hint) {
    super(error, null, false, false);
    this.status = status;
    this.body = new Body(error, hint);
  }

  static HttpError notFound(String error, String hint) {
    return new HttpError(StatusCodes.NOT_FOUND, error, hint);
  }

  static HttpError badRequest(String error, String hint) {
    return new HttpError(StatusCodes.BAD_REQUEST, error, hint);
  }

  static HttpError unauthorized() {
    return new HttpError(StatusCodes.UNAUTHORIZED, "this port requires a token",
        "send the header 'Authorization: Bearer TOKEN' with the line in the server's weft.http.token-file");
  }

  static HttpError forbidden(String error, String hint) {
    return new HttpError(StatusCodes.FORBIDDEN, error, hint);
  }

  static HttpError methodNotAllowed(String method, String path) {
    return new HttpError(StatusCodes.METHOD_NOT_ALLOWED, method + " is not possible on " + path,
        "this interface is read-only: use GET");
  }

  static HttpError conflict(String error, String hint) {
    return new HttpError(StatusCodes.CONFLICT, error, hint);
  }

  /** Makes the error for an element that did not answer in time, or could not answer. */
  static HttpError unavailable(String error, String hint) {
    return new HttpError(StatusCodes.SERVICE_UNAVAILABLE, error, hint);
  }

  static HttpError internal(String error, String hint) {
    return new HttpError(StatusCodes.INTERNAL_SERVER_ERROR, error, hint);
  }

  StatusCode status() {
    return status;
  }

  Body body() {
    return body;
  }
}
