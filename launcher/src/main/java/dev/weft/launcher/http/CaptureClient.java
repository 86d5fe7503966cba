package dev.weft.launcher.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.service.process.CaptureKey;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;

/** Begins captures of other JVMs ({@link CaptureRoute}). {@link #close} ends them. */
public final class CaptureClient implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  /** A JVM notices within two seconds that a capturing client has gone, and within five seconds that it never began to read. */
  private static final Duration BUSY_PATIENCE = Duration.ofSeconds(7);
  private static final long BUSY_INTERVAL_MS = 250;
  private static final int CONFLICT = 409;
  /** Largest part that is read of an answer that is not a capture. */
  private static final int REFUSAL_MAX_BYTES = 16 << 10;

  private final Asking asking;

  /** @throws java.io.UncheckedIOException if a certificate or the token cannot be used */
  public CaptureClient(HttpAccess access) {
    asking = Asking.of(access, PATIENCE);
  }

  /**
   * Begins to capture a JVM. If another client captures it, waits a little, because that client may have just gone.
   *
   * @param base base URL of the JVM's HTTP inspection
   * @param key key of the JVM; an unknown one is enough if the JVM requires a token
   * @param sentOnly whether packets that arrive from other JVMs are left out
   * @return the blocks of a pcapng file, as they come; closing the stream ends the capture
   * @throws IOException if the JVM cannot be captured; the message says why
   */
  public InputStream open(URI base, CaptureKey key, boolean sentOnly) throws IOException, InterruptedException {
    URI route = URI.create(base + CaptureRoute.ROUTE + (sentOnly ? "?sent=true" : ""));
    HttpRequest.Builder get = asking.get(route).timeout(PATIENCE);
    HttpRequest request = (key.isKnown() ? get.header(CaptureKey.HEADER, key.text()) : get).build();
    HttpResponse<InputStream> response = send(request);
    long begunNs = System.nanoTime();
    while (response.statusCode() == CONFLICT && System.nanoTime() - begunNs < BUSY_PATIENCE.toNanos()) {
      response.body().close();
      Thread.sleep(BUSY_INTERVAL_MS);
      response = send(request);
    }
    if (response.statusCode() == 200) {
      return response.body();
    }
    try (InputStream body = response.body()) {
      throw new IOException(refusal(response.statusCode(), body.readNBytes(REFUSAL_MAX_BYTES)));
    }
  }

  private HttpResponse<InputStream> send(HttpRequest request) throws IOException, InterruptedException {
    try {
      return asking.client().send(request, BodyHandlers.ofInputStream());
    } catch (HttpTimeoutException e) {
      throw new IOException("no answer within " + PATIENCE.toSeconds() + " s", e);
    } catch (IOException e) {
      throw new IOException(Asking.problem(e), e);
    }
  }

  private static String refusal(int status, byte[] body) throws IOException {
    if (status == 404) {
      return "there is nothing to capture; JVMs of 'weft up' and 'weft join' can be captured";
    }
    try {
      JsonNode answer = Json.MAPPER.readTree(body);
      if (status != 401 && answer.hasNonNull("error")) {
        return answer.path("error").asText() + "; " + answer.path("hint").asText();
      }
    } catch (JsonProcessingException e) {
      return "the program there is not a JVM of Weft (HTTP status " + status + ")";
    }
    return Asking.problem(status);
  }

  @Override
  public void close() {
    asking.close();
  }
}
