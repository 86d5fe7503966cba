package dev.weft.dsm.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.Config;
import dev.weft.fabric.tls.SecretFile;
import dev.weft.fabric.tls.TlsFiles;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
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

/** Asks the JVMs of this user's fabric on this host what shared memory they carry, by their HTTP inspection. */
final class Inspections implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final long BODY_MAX_BYTES = 8 << 20;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final StateDirectory states;
  private final HttpClient client;
  private final String token;

  /**
   * What was said.
   *
   * @param nodes reports of nodes, as {@code /weft/dsm} shows them
   * @param problems of JVMs that did not answer
   */
  record Answers(List<JsonNode> nodes, List<String> problems) {}

  private Inspections(StateDirectory states, HttpClient client, String token) {
    this.states = states;
    this.client = client;
    this.token = token;
  }

  /** With the TLS and the token of the settings. */
  static Inspections open(StateDirectory states, Config config) {
    try {
      HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT);
      if (config.getBoolean("weft.http.tls")) {
        builder.sslContext(TlsFiles.from(config).client());
      }
      String file = config.getString("weft.http.token-file");
      return new Inspections(states, builder.build(), file.isBlank() ? null : SecretFile.read(Path.of(file)));
    } catch (IOException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  /** @throws CommandFailure if no fabric is up, or none of its JVMs answers */
  Answers ask() throws IOException {
    List<RunState> running = states.running();
    if (running.isEmpty()) {
      throw new CommandFailure("no fabric is up (looked in " + states.path() + "); start one with './weft up --dsm NAME'");
    }
    List<CompletableFuture<JsonNode>> asked = running.stream().map(state -> ask(state.http())).toList();
    List<JsonNode> nodes = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      try {
        asked.get(i).join().path("nodes").forEach(nodes::add);
      } catch (CompletionException failed) {
        Throwable cause = failed.getCause() == null ? failed : failed.getCause();
        problems.add(running.get(i).http() + " did not answer: " + (cause instanceof TimeoutException ? "nothing came within " + TIMEOUT.toSeconds() + " s"
            : cause.getMessage() == null ? cause : cause.getMessage()));
      }
    }
    if (problems.size() == running.size()) {
      throw new CommandFailure(String.join("; ", problems));
    }
    return new Answers(nodes, problems);
  }

  private CompletableFuture<JsonNode> ask(URI base) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + "/weft/dsm")).timeout(TIMEOUT).GET();
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return client.sendAsync(request.build(), BodyHandlers.limiting(BodyHandlers.ofString(), BODY_MAX_BYTES))
        .orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).thenApply(Inspections::parse);
  }

  private static JsonNode parse(HttpResponse<String> response) {
    if (response.statusCode() != 200) {
      throw new IllegalStateException("status " + response.statusCode() + (response.statusCode() == 401 ? "; set weft.http.token-file" : ""));
    }
    try {
      return MAPPER.readTree(response.body());
    } catch (JsonProcessingException notJson) {
      throw new IllegalStateException("what it answers is not JSON", notJson);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
