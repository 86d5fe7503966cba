package dev.weft.launcher.http;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.service.Alarm;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What {@code weft status} says of one or several JVMs: each one's own summary, and the cluster put together from what they see.
 * Immutable.
 *
 * @param jvms in the order they were asked for
 * @param members members of the cluster as any of the JVMs sees it, ordered by address
 */
public record StatusReport(List<JvmReport> jvms, List<MemberReport> members) {
  /** Asks every JVM at most this long by default. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

  /** Health in one word, and as exit code of {@code weft status}. */
  public enum Health {
    /** Everybody asked has answered, nothing is wrong now. Warnings do not count. */
    HEALTHY(0),
    /** A JVM did not answer, a member is unreachable or down, or there is an alarm of severity ERROR. */
    DEGRADED(1),
    /** Nobody answered as Weft: nobody listens, or somebody else. 2 is left to the command line for wrong usage. */
    SILENT(3),
    /** Nobody answered in time, but at least one is there: the machine is busy, or the process is stopped. */
    BUSY(4);

    private final int exitCode;

    Health(int exitCode) {
      this.exitCode = exitCode;
    }

    /** For {@code System.exit}. */
    public int exitCode() {
      return exitCode;
    }
  }

  /**
   * A JVM to ask.
   *
   * @param url base of its HTTP inspection
   * @param socket its control socket, which is asked first; null if it has none
   * @param pid of the process, which runs; 0 if unknown
   */
  public record Source(URI url, Path socket, long pid) {}

  /**
   * One JVM.
   *
   * @param url the base URL that it was asked at
   * @param reachable whether it answered as Weft
   * @param busy whether it is there and did not answer in time
   * @param problem why not; empty if it did
   * @param status its {@code /weft/status}; null if not reachable
   * @param trunks its {@code /weft/trunks}; null if it has none
   * @param services what its services show, by their names; beside the others in JSON
   */
  public record JvmReport(URI url, boolean reachable, boolean busy, String problem, JsonNode status, JsonNode trunks,
      @JsonIgnore Map<String, JsonNode> services) {
    static JvmReport unreachable(URI url, boolean busy, String problem) {
      return new JvmReport(url, false, busy, problem, null, null, Map.of());
    }

    /** For JSON. */
    @JsonAnyGetter
    Map<String, JsonNode> shown() {
      return services;
    }
  }

  /**
   * One member of the cluster.
   *
   * @param address {@code host:port} of its Akka address
   * @param state {@code Up}, {@code Joining} ... as Akka calls it; {@code Unreachable} if a JVM asked does not hear it; {@code
   *     Removed} if it was a member and is none any more
   * @param roles its cluster roles
   * @param seenBy JVMs asked that list it
   * @param unreachableFrom names of those that do not hear it
   */
  public record MemberReport(String address, String state, List<String> roles, int seenBy, List<String> unreachableFrom) {}

  /** Copies the lists. */
  public StatusReport {
    jvms = List.copyOf(jvms);
    members = List.copyOf(members);
  }

  /**
   * Asks each JVM, all at a time, and waits for the last answer, at most {@link #DEFAULT_TIMEOUT}. A JVM that does not answer is
   * part of the report.
   *
   * @param baseUrls such as {@code http://127.0.0.1:8558}, 1 to 256
   * @throws IllegalArgumentException if one of them is not an HTTP URL
   */
  public static StatusReport fetch(List<URI> baseUrls) {
    return fetch(baseUrls, DEFAULT_TIMEOUT);
  }

  /** The same with another time limit. */
  public static StatusReport fetch(List<URI> baseUrls, Duration timeout) {
    return fetch(baseUrls, timeout, HttpAccess.NONE);
  }

  /** The same with TLS or a token. */
  public static StatusReport fetch(List<URI> baseUrls, Duration timeout, HttpAccess access) {
    return ask(baseUrls.stream().map(url -> new Source(url, null, 0)).toList(), timeout, access);
  }

  /** The same for JVMs of this host, by their control sockets where they have some: no other user can keep those busy. */
  public static StatusReport ask(List<Source> sources, Duration timeout, HttpAccess access) {
    try (StatusClient client = new StatusClient(timeout, access)) {
      List<JvmReport> jvms = client.fetch(sources);
      return new StatusReport(jvms, MemberMerge.of(jvms));
    }
  }

  /** How it stands. */
  public Health health() {
    if (jvms.stream().noneMatch(JvmReport::reachable)) {
      return jvms.stream().anyMatch(JvmReport::busy) ? Health.BUSY : Health.SILENT;
    }
    boolean trouble = jvms.stream().anyMatch(jvm -> !jvm.reachable() || hasError(jvm.status()))
        || members.stream().anyMatch(member -> member.state().equals("Unreachable") || member.state().equals("Down"));
    return trouble ? Health.DEGRADED : Health.HEALTHY;
  }

  private static boolean hasError(JsonNode status) {
    for (JsonNode alarm : status.path("alarms")) {
      if (alarm.path("severity").asText().equals(Alarm.Severity.ERROR.name())) {
        return true;
      }
    }
    return false;
  }

  /** {@link Health#exitCode()}. */
  public int exitCode() {
    return health().exitCode();
  }

  private record Document(Health health, int exitCode, List<MemberReport> members, List<JvmReport> jvms) {}

  /** Everything, indented. */
  public String toJson() {
    return Json.text(Json.tree(new Document(health(), exitCode(), members, jvms)), true);
  }

  /** Tables for people, at most about 120 columns where names are short. */
  public String toText() {
    return StatusText.of(this);
  }
}
