package dev.weft.launcher.http;

import dev.weft.service.CommandFailure;
import dev.weft.service.process.ControlSocket;
import java.util.List;

/** Lets this user's commands read at the control socket what is shown over HTTP: other users cannot keep it busy. */
public final class InspectionSocket {
  /** First word of a request; the second is the path. No service has this name. */
  public static final String NAME = "inspection";

  private InspectionSocket() {}

  /** Answers with the JSON that {@code http} gives, in one line. */
  public static ControlSocket.Handler of(HttpService http) {
    return (words, asker) -> {
      if (words.size() != 1) {
        throw new CommandFailure("a request for inspection has one path, such as /weft/status");
      }
      return List.of(http.json(words.getFirst()));
    };
  }
}
