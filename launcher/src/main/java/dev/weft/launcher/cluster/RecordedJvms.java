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

/** The JVMs that 'weft status' would ask, for commands that are told which. */
public final class RecordedJvms {
  private static final int PORT_MAX = 65_535;
  private static final String FORM =
      "an address is HOST:PORT as 'weft status' shows it, HOST:PORT of its HTTP inspection, or http://HOST:PORT";

  private static final Pattern URL = Pattern.compile("https?://([\\w.-]+|\\[[0-9a-fA-F:.]+]):[1-9][0-9]{0,4}(/weft)?/*");

  /** What localhost may mean. */
  private static final Set<String> LOCALHOST = Set.of("127.0.0.1", "[::1]");

  private final List<RunState> running;
  private final boolean tls;

  private RecordedJvms(List<RunState> running, boolean tls) {
    this.running = running;
    this.tls = tls;
  }

  /** Looks into the state directory of this user. */
  public static RecordedJvms open(boolean tls) throws IOException {
    StateDirectory states = StateDirectory.open();
    states.awaitRecords(ConfigFactory.load());
    return new RecordedJvms(states.running(), tls);
  }

  /**
   * A JVM.
   *
   * @param http base of its HTTP inspection
   * @param captureKey what who captures it has to show; unknown if it is not recorded here
   */
  public record Found(URI http, CaptureKey captureKey) {}

  /**
   * The JVM at an address.
   *
   * @param address of its control plane, or of its HTTP inspection, which need not be recorded
   * @throws IllegalArgumentException if it is no address; the message says how one looks
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

  /** Whether what is recorded was meant. It is asked where the record says, so that nobody else on this host is shown its key. */
  private static boolean isSame(URI recorded, URI given) {
    return recorded.getPort() == given.getPort()
        && (given.getHost().equalsIgnoreCase(recorded.getHost())
            || given.getHost().equalsIgnoreCase("localhost") && LOCALHOST.contains(recorded.getHost()));
  }

  /** Which JVMs there are, for messages. */
  public String hint() {
    return running.isEmpty() ? " (none is recorded here)"
        : " (here: " + running.stream().map(RunState::address).collect(Collectors.joining(", ")) + ")";
  }
}
