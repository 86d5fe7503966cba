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
 * The report of {@code weft status} about one or several JVMs: the status of each, and the cluster merged from their views. Immutable.
 *
 * @param jvms the JVMs in the order in which they were asked for
 * @param members members of the cluster that any of the JVMs sees, ordered by address
 */
public record StatusReport(List<JvmReport> jvms, List<MemberReport> members) {
  /** Default of how long a JVM has to answer. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

  /** Health in one word, with the exit code of {@code weft status}. */
  public enum Health {
    /** All JVMs have answered, and nothing is wrong now. Warnings do not count. */
    HEALTHY(0),
    /** A JVM did not answer, a member is unreachable or down, or there is an alarm of severity ERROR. */
    DEGRADED(1),
    /** No Weft JVM answered: no program listens, or other programs do. Exit code 2 means wrong usage of the command line. */
    SILENT(3),
    /** No JVM answered in time, but at least one exists: the machine is busy, or the process is stopped. */
    BUSY(4);

    private final int exitCode;

    Health(int exitCode) {
      this.exitCode = exitCode;
    }

    /** Returns the exit code of {@code weft status}. */
    public int exitCode() {
      return exitCode;
    }
  }

  /**
   * A JVM to ask.
   *
   * @param url base URL of its HTTP inspection
   * @param socket its control socket, which is asked first; null if it has none
   * @param pid number of its running process; 0 if unknown
   */
  public record Source(URI url, Path socket, long pid) {}

  /**
   * One JVM.
   *
   * @param url the base URL at which it was asked
   * @param reachable whether a Weft JVM answered
   * @param busy whether it exists but did not answer in time
   * @param problem why it did not answer; empty if it did
   * @param status its {@code /weft/status}; null if not reachable
   * @param trunks its {@code /weft/trunks}; null if it has none
   * @param services the sections of its services by name; in JSON, they are beside the other fields
   */
  public record JvmReport(URI url, boolean reachable, boolean busy, String problem, JsonNode status, JsonNode trunks,
      @JsonIgnore Map<String, JsonNode> services) {
    static JvmReport unreachable(URI url, boolean busy, String problem) {
      return new JvmReport(url, false, busy, problem, null, null, Map.of());
    }

    /** Returns the services, as fields in JSON. */
    @JsonAnyGetter
    Map<String, JsonNode> shown() {
      return services;
    }
  }

  /**
   * One member of the cluster.
   *
   * @param address {@code host:port} of its Akka address
   * @param state {@code Up}, {@code Joining} and so on, as Akka names it; {@code Unreachable} if a JVM of the report does not hear it;
   *     {@code Removed} if it is no longer a member
   * @param roles its cluster roles
   * @param seenBy number of JVMs of the report that list it
   * @param unreachableFrom names of the JVMs of the report that do not hear it
   */
  public record MemberReport(String address, String state, List<String> roles, int seenBy, List<String> unreachableFrom) {}

  /** Copies the lists. */
  public StatusReport {
    jvms = List.copyOf(jvms);
    members = List.copyOf(members);
  }

  /**
   * Asks all JVMs at the same time, and waits for the last answer. Each request has {@link #DEFAULT_TIMEOUT}. The report also contains
   * JVMs that do not answer.
   *
   * @param baseUrls such as {@code http://127.0.0.1:8558}, 1 to 256
   * @throws IllegalArgumentException if one of them is not an HTTP URL, or there are too few or too many
   */
  public static StatusReport fetch(List<URI> baseUrls) {
    return fetch(baseUrls, DEFAULT_TIMEOUT);
  }

  /** Does the same with another timeout. */
  public static StatusReport fetch(List<URI> baseUrls, Duration timeout) {
    return fetch(baseUrls, timeout, HttpAccess.NONE);
  }

  /** Does the same with TLS or a token. */
  public static StatusReport fetch(List<URI> baseUrls, Duration timeout, HttpAccess access) {
    return ask(baseUrls.stream().map(url -> new Source(url, null, 0)).toList(), timeout, access);
  }

  /** Does the same for JVMs of this host, over their control sockets if they have any, because other users cannot keep these busy. */
  public static StatusReport ask(List<Source> sources, Duration timeout, HttpAccess access) {
    try (StatusClient client = new StatusClient(timeout, access)) {
      List<JvmReport> jvms = client.fetch(sources);
      return new StatusReport(jvms, MemberMerge.of(jvms));
    }
  }

  /** Returns the health of the fabric. */
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

  /** Returns {@link Health#exitCode()}. */
  public int exitCode() {
    return health().exitCode();
  }

  private record Document(Health health, int exitCode, List<MemberReport> members, List<JvmReport> jvms) {}

  /** Returns the whole report as indented JSON. */
  public String toJson() {
    return Json.text(Json.tree(new Document(health(), exitCode(), members, jvms)), true);
  }

  /** Returns the report as tables, at most about 120 columns wide if names are short. */
  public String toText() {
    return StatusText.of(this);
  }
}
