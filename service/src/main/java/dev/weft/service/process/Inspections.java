package dev.weft.service.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.typesafe.config.Config;
import dev.weft.fabric.tls.SecretFile;
import dev.weft.fabric.tls.TlsFiles;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Requests a section of the HTTP inspection from all JVMs of a fabric in parallel, for at most 5 s. Any thread. */
public final class Inspections implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final long BODY_MAX_BYTES = 8 << 20;
  private static final int NOT_THERE = 404;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final HttpClient client;
  private final String token;

  private Inspections(HttpClient client, String token) {
    this.client = client;
    this.token = token;
  }

  /**
   * Creates a client that uses the TLS files and the token of the settings.
   *
   * @throws CommandFailure if one of these files cannot be read
   */
  public static Inspections open(Config config) {
    try {
      HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT);
      if (config.getBoolean("weft.http.tls")) {
        builder.sslContext(TlsFiles.from(config).client());
      }
      String file = config.getString("weft.http.token-file");
      return new Inspections(builder.build(), file.isBlank() ? null : SecretFile.read(Path.of(file)));
    } catch (IOException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  /**
   * Returns the answers of all JVMs that have the path.
   *
   * @param problems receives a line for each JVM that does not answer
   */
  public List<JsonNode> ask(List<RunState> running, String path, List<String> problems) {
    List<CompletableFuture<JsonNode>> asked = running.stream().map(state -> ask(state.http(), path)).toList();
    List<JsonNode> answers = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      try {
        JsonNode answer = asked.get(i).join();
        if (!answer.isMissingNode()) {
          answers.add(answer);
        }
      } catch (CompletionException failed) {
        Throwable cause = failed.getCause() == null ? failed : failed.getCause();
        problems.add(running.get(i).http() + " did not answer: " + (cause instanceof TimeoutException ? "nothing came within " + TIMEOUT.toSeconds() + " s"
            : cause.getMessage() == null ? cause : cause.getMessage()));
      }
    }
    return answers;
  }

  private CompletableFuture<JsonNode> ask(URI base, String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path)).timeout(TIMEOUT).GET();
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return client.sendAsync(request.build(), BodyHandlers.limiting(BodyHandlers.ofString(), BODY_MAX_BYTES))
        .orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).thenApply(Inspections::parse);
  }

  private static JsonNode parse(HttpResponse<String> response) {
    if (response.statusCode() == NOT_THERE) {
      return MissingNode.getInstance();
    }
    if (response.statusCode() != 200) {
      throw new IllegalStateException("status " + response.statusCode() + (response.statusCode() == 401 ? "; set weft.http.token-file" : ""));
    }
    try {
      return MAPPER.readTree(response.body());
    } catch (JsonProcessingException notJson) {
      throw new IllegalStateException("its answer is not JSON", notJson);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
