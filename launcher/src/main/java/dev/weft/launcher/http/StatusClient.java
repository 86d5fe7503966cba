package dev.weft.launcher.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.launcher.http.StatusReport.JvmReport;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Fetches summaries from JVMs. */
final class StatusClient implements AutoCloseable {
  private static final int URLS_MAX = 256;
  private static final long BODY_MAX_BYTES = 32 << 20;

  private final Asking asking;
  private final Duration timeout;

  /** @throws java.io.UncheckedIOException if a certificate or the token cannot be used */
  StatusClient(Duration timeout, HttpAccess access) {
    this.timeout = timeout;
    asking = Asking.of(access, timeout);
  }

  List<JvmReport> fetch(List<URI> baseUrls) {
    if (baseUrls.isEmpty() || baseUrls.size() > URLS_MAX) {
      throw new IllegalArgumentException(baseUrls.size() + " URLs to ask; it takes 1 to " + URLS_MAX);
    }
    List<URI> checked = baseUrls.stream().map(StatusClient::checked).distinct().toList();
    List<CompletableFuture<JvmReport>> asked = checked.stream().map(this::fetchOne).toList();
    return asked.stream().map(CompletableFuture::join).toList();
  }

  private static URI checked(URI url) {
    boolean http = "http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme());
    if (!http || url.getHost() == null || url.getQuery() != null) {
      throw new IllegalArgumentException("\"" + url + "\" is not the base URL of a JVM; one looks like http://127.0.0.1:8558");
    }
    return JvmUrl.base(url.toString());
  }

  private CompletableFuture<JvmReport> fetchOne(URI url) {
    return get(url, "/weft/status")
        .thenCompose(status -> {
          if (!status.has("jvm") || !status.has("nodes")) {
            throw new NotWeft("what it answers is JSON but not the status of a Weft JVM");
          }
          return services(url, status).thenCombine(section(url, status, Inspection.TRUNKS),
              (services, trunks) -> new JvmReport(url, true, "", status, trunks, services));
        })
        .exceptionally(failure -> JvmReport.unreachable(url, problem(failure)));
  }

  /** The sections that are named like a service. */
  private CompletableFuture<Map<String, JsonNode>> services(URI url, JsonNode status) {
    Map<String, CompletableFuture<JsonNode>> asked = new LinkedHashMap<>();
    for (JsonNode service : status.path("services")) {
      String name = service.path("name").asText();
      asked.put(name, section(url, status, name));
    }
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply(all -> {
      Map<String, JsonNode> found = new LinkedHashMap<>();
      asked.forEach((name, answer) -> found.put(name, answer.join()));
      found.values().removeIf(Objects::isNull);
      return found;
    });
  }

  private CompletableFuture<JsonNode> section(URI url, JsonNode status, String name) {
    for (JsonNode section : status.path("sections")) {
      if (section.asText().equals(name)) {
        return get(url, "/weft/" + name).exceptionally(failure -> null);
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<JsonNode> get(URI url, String path) {
    HttpRequest request = asking.get(URI.create(url + path)).timeout(timeout).build();
    // The request's own time limit ends with the head of the answer; this one covers the body, too.
    return asking.client().sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), BODY_MAX_BYTES))
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS).thenApply(StatusClient::parse);
  }

  private static JsonNode parse(HttpResponse<String> response) {
    try {
      if (response.statusCode() == 200) {
        return Json.MAPPER.readTree(response.body());
      }
    } catch (JsonProcessingException e) {
      throw new NotWeft("what it answers is not JSON; is that the port of a Weft JVM?");
    }
    String problem = Asking.problem(response.statusCode());
    throw new NotWeft(response.statusCode() == 401 ? problem : problem + " to " + response.request().uri().getPath());
  }

  private String problem(Throwable failure) {
    Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    return switch (cause) {
      case HttpTimeoutException e -> noAnswer();
      case TimeoutException e -> noAnswer();
      case NotWeft e -> e.getMessage();
      default -> Asking.problem(cause);
    };
  }

  private String noAnswer() {
    return "no complete answer within " + timeout.toMillis() + " ms";
  }

  @Override
  public void close() {
    asking.close();
  }

  /** Somebody answered who is no Weft JVM. */
  private static final class NotWeft extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotWeft(String message) {
      super(message, null, false, false);
    }
  }
}
