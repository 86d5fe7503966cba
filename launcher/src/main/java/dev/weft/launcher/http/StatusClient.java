package dev.weft.launcher.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.launcher.http.StatusReport.JvmReport;
import dev.weft.launcher.http.StatusReport.Source;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.ControlSocket;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Fetches the status of JVMs, over their control sockets or HTTP. */
final class StatusClient implements AutoCloseable {
  private static final int URLS_MAX = 256;
  private static final long BODY_MAX_BYTES = 32 << 20;

  private final Asking asking;
  private final Duration timeout;
  private final ExecutorService sockets = Executors.newVirtualThreadPerTaskExecutor();

  /** @throws java.io.UncheckedIOException if a certificate or the token cannot be used */
  StatusClient(Duration timeout, HttpAccess access) {
    this.timeout = timeout;
    asking = Asking.of(access, timeout);
  }

  List<JvmReport> fetch(List<Source> sources) {
    if (sources.isEmpty() || sources.size() > URLS_MAX) {
      throw new IllegalArgumentException(sources.size() + " URLs to ask, must be from 1 to " + URLS_MAX);
    }
    List<Source> checked = sources.stream().map(source -> new Source(checked(source.url()), source.socket(), source.pid())).distinct().toList();
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

  private CompletableFuture<JvmReport> fetchOne(Source source) {
    return get(source, "/weft/status")
        .thenCompose(status -> {
          if (!status.has("jvm") || !status.has("nodes")) {
            throw new NotWeft("its answer is JSON but not the status of a Weft JVM");
          }
          return services(source, status).thenCombine(section(source, status, Inspection.TRUNKS),
              (services, trunks) -> new JvmReport(source.url(), true, false, "", status, trunks, services));
        })
        .exceptionally(failure -> JvmReport.unreachable(source.url(), isTimeout(cause(failure)), problem(source, cause(failure))));
  }

  /** Fetches the sections that have the name of a service. */
  private CompletableFuture<Map<String, JsonNode>> services(Source source, JsonNode status) {
    Map<String, CompletableFuture<JsonNode>> asked = new LinkedHashMap<>();
    for (JsonNode service : status.path("services")) {
      String name = service.path("name").asText();
      asked.put(name, section(source, status, name));
    }
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply(all -> {
      Map<String, JsonNode> found = new LinkedHashMap<>();
      asked.forEach((name, answer) -> found.put(name, answer.join()));
      found.values().removeIf(Objects::isNull);
      return found;
    });
  }

  private CompletableFuture<JsonNode> section(Source source, JsonNode status, String name) {
    for (JsonNode section : status.path("sections")) {
      if (section.asText().equals(name)) {
        return get(source, "/weft/" + name).exceptionally(failure -> null);
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  /** Fetches a path over the control socket, or over HTTP if there is no socket or it does not answer. */
  private CompletableFuture<JsonNode> get(Source source, String path) {
    if (source.socket() == null) {
      return get(source.url(), path);
    }
    return CompletableFuture.supplyAsync(() -> bySocket(source.socket(), path), sockets)
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(failure -> cause(failure) instanceof NoSocket ? get(source.url(), path) : CompletableFuture.failedFuture(failure));
  }

  private static JsonNode bySocket(Path socket, String path) {
    try {
      return Json.MAPPER.readTree(String.join("", ControlSocket.ask(socket, List.of(InspectionSocket.NAME, path))));
    } catch (IOException | CommandFailure e) {
      throw new NoSocket(e.toString()); // The JVM has another version, or has just ended: HTTP gives the reason.
    }
  }

  private CompletableFuture<JsonNode> get(URI url, String path) {
    HttpRequest request = asking.get(URI.create(url + path)).timeout(timeout).build();
    // The request's own timeout ends with the head of the answer; this one covers the body, too.
    return asking.client().sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), BODY_MAX_BYTES))
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS).thenApply(StatusClient::parse);
  }

  private static JsonNode parse(HttpResponse<String> response) {
    try {
      if (response.statusCode() == 200) {
        return Json.MAPPER.readTree(response.body());
      }
    } catch (JsonProcessingException e) {
      throw new NotWeft("its answer is not JSON; check that the port is that of a Weft JVM");
    }
    String problem = Asking.problem(response.statusCode());
    throw new NotWeft(response.statusCode() == 401 ? problem : problem + " to " + response.request().uri().getPath());
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
  }

  private static boolean isTimeout(Throwable cause) {
    return cause instanceof HttpTimeoutException && !(cause instanceof HttpConnectTimeoutException) || cause instanceof TimeoutException;
  }

  private String problem(Source source, Throwable cause) {
    if (isTimeout(cause)) {
      return noAnswer() + (source.pid() == 0 ? "" : "; its process (pid " + source.pid() + ") runs, so it is busy or stopped; --timeout waits longer");
    }
    return switch (cause) {
      case HttpTimeoutException e -> noAnswer();
      case NotWeft e -> e.getMessage();
      default -> Asking.problem(cause);
    };
  }

  private String noAnswer() {
    return "no complete answer within " + timeout.toMillis() + " ms";
  }

  @Override
  public void close() {
    sockets.shutdownNow();
    asking.close();
  }

  /** The control socket does not answer the request. */
  private static final class NoSocket extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoSocket(String message) {
      super(message, null, false, false);
    }
  }

  /** Another program than a Weft JVM answered, or the answer was an error. */
  private static final class NotWeft extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotWeft(String message) {
      super(message, null, false, false);
    }
  }
}
