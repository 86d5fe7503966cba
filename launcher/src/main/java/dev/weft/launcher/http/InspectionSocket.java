package dev.weft.launcher.http;

import dev.weft.service.CommandFailure;
import dev.weft.service.process.ControlSocket;
import java.util.List;

/** Lets this user's commands read the inspection over the control socket, which other users cannot keep busy. */
public final class InspectionSocket {
  /** First word of a request; the second is the path. No service has this name. */
  public static final String NAME = "inspection";

  private InspectionSocket() {}

  /** Returns a handler that answers with the JSON of {@code http}, in one line. */
  public static ControlSocket.Handler of(HttpService http) {
    return (words, asker) -> {
      if (words.size() != 1) {
        throw new CommandFailure("a request for inspection has one path, such as /weft/status");
      }
      return List.of(http.json(words.getFirst()));
    };
  }
}
