package dev.weft.launcher.cluster;

import com.typesafe.config.ConfigFactory;
import dev.weft.launcher.http.JvmUrl;
import dev.weft.service.process.CaptureKey;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The JVMs that {@code weft status} asks, for commands whose user names some of them. */
public final class RecordedJvms {
  private static final int PORT_MAX = 65_535;
  private static final String FORM =
      "an address is HOST:PORT as 'weft status' shows it, HOST:PORT of its HTTP inspection, or http://HOST:PORT";

  private static final Pattern URL = Pattern.compile("https?://([\\w.-]+|\\[[0-9a-fA-F:.]+]):[1-9][0-9]{0,4}(/weft)?/*");

  /** Addresses that localhost may mean. */
  private static final Set<String> LOCALHOST = Set.of("127.0.0.1", "[::1]");

  private final List<RunState> running;
  private final boolean tls;

  private RecordedJvms(List<RunState> running, boolean tls) {
    this.running = running;
    this.tls = tls;
  }

  /** Reads the state directory of this user. */
  public static RecordedJvms open(boolean tls) throws IOException {
    StateDirectory states = StateDirectory.open();
    states.awaitRecords(ConfigFactory.load());
    return new RecordedJvms(states.running(), tls);
  }

  /**
   * A JVM.
   *
   * @param http base URL of its HTTP inspection
   * @param captureKey the key that a capture must show; unknown if the JVM is not recorded here
   */
  public record Found(URI http, CaptureKey captureKey) {}

  /**
   * Returns the JVM at an address.
   *
   * @param address address of its control plane, which must be recorded, or of its HTTP inspection, which need not be
   * @throws IllegalArgumentException if the text is not an address; the message describes the form
   */
  public Found find(String address) {
    for (RunState state : running) {
      if (state.address().equals(address)) {
        return new Found(state.http(), state.captureKey());
      }
    }
    String url = address.contains("://") ? address : (tls ? "https://" : "http://") + address;
    URI http = URL.matcher(url).matches() ? JvmUrl.base(url) : null;
    if (http == null || http.getHost() == null || http.getPort() > PORT_MAX) {
      throw new IllegalArgumentException("'" + address + "' is not the address of a JVM; " + FORM + hint());
    }
    return running.stream().filter(state -> isSame(state.http(), http)).findFirst()
        .map(state -> new Found(state.http(), state.captureKey())).orElse(new Found(http, CaptureKey.UNKNOWN));
  }

  /** Whether the user meant the recorded JVM. The command then uses the recorded URL, so that no other program on this host gets the key. */
  private static boolean isSame(URI recorded, URI given) {
    return recorded.getPort() == given.getPort()
        && (given.getHost().equalsIgnoreCase(recorded.getHost())
            || given.getHost().equalsIgnoreCase("localhost") && LOCALHOST.contains(recorded.getHost()));
  }

  /** Returns the existing JVMs as text for messages. */
  public String hint() {
    return running.isEmpty() ? " (none is recorded here)"
        : " (here: " + running.stream().map(RunState::address).collect(Collectors.joining(", ")) + ")";
  }
}
