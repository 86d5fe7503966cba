package dev.weft.launcher.http;

import java.io.IOException;

/** The HTTP port cannot be opened; the message says why and what to do. */
public final class HttpStartException extends IOException {
  private static final long serialVersionUID = 1;

  HttpStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
