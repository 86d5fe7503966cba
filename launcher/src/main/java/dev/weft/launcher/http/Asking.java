package dev.weft.launcher.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLException;

/**
 * Makes requests to JVMs with the TLS and the token of the settings.
 *
 * @param client the HTTP client
 * @param token the token; null if none is needed
 */
record Asking(HttpClient client, String token) implements AutoCloseable {
  /** @throws UncheckedIOException if a certificate or the token cannot be used */
  static Asking of(HttpAccess access, Duration connectTimeout) {
    HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(connectTimeout);
    try {
      String token = access.readToken();
      if (access.tls()) {
        builder.sslContext(access.clientTls());
      }
      return new Asking(builder.build(), token);
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  HttpRequest.Builder get(URI uri) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(uri).GET();
    return token == null ? builder : builder.header("Authorization", BearerToken.SCHEME + token);
  }

  /** Returns why a JVM did not answer, as text. */
  static String problem(Throwable failure) {
    Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    return switch (cause) {
      case SSLException e -> "TLS: " + e.getMessage() + "; is ca-cert.pem in weft.tls.certificates that of its certificate?";
      case ConnectException e -> "no program listens there";
      default -> cause.toString();
    };
  }

  /** Returns the meaning of an HTTP status, as text. */
  static String problem(int status) {
    return status == 401 ? "it requires a token; set weft.http.token-file here to the token of that JVM" : "it answered HTTP status " + status;
  }

  @Override
  public void close() {
    client.shutdownNow();
    client.close();
  }
}
