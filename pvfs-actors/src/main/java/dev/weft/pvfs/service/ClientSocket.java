package dev.weft.pvfs.service;

import akka.actor.typed.ActorSystem;
import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.fabric.cluster.ProcessWatch;
import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.service.CommandFailure;
import dev.weft.service.measure.MeasureJson;
import dev.weft.service.process.ControlSocket;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Unix socket by which a client in its own process, such as a mount, answers {@code weft pvfs top}. It is in the state directory. */
final class ClientSocket {
  private static final Pattern NAME = Pattern.compile("pvfs-client-([0-9]{1,9})\\.sock");
  private static final int MAX = 256;

  private ClientSocket() {}

  /** Answers until it is closed. */
  static ControlSocket open(ActorSystem<?> system, PvfsFileSystem files, String what) throws IOException {
    Path path = StateDirectory.open().path().resolve("pvfs-client-" + ProcessHandle.current().pid() + ".sock");
    return ControlSocket.openKept(path, Map.of(PvfsService.NAME, (_, _) -> answer(system, files, what)));
  }

  private static List<String> answer(ActorSystem<?> system, PvfsFileSystem files, String what) {
    ClientSnapshot client = Probes.client(system, files.data()).toCompletableFuture().join();
    return List.of(MeasureJson.line(Map.of("name", what + " " + ProcessHandle.current().pid(), "client", client)));
  }

  /**
   * Asks all clients of this host. Removes sockets of processes that were killed.
   *
   * @param problems gets a line for each client that does not answer
   */
  static List<JsonNode> askAll(StateDirectory states, List<String> problems) throws IOException {
    List<JsonNode> answers = new ArrayList<>();
    try (DirectoryStream<Path> sockets = Files.newDirectoryStream(states.path(), "pvfs-client-*.sock")) {
      for (Path socket : sockets) {
        Matcher name = NAME.matcher(socket.getFileName().toString());
        if (!name.matches() || answers.size() == MAX) {
          continue;
        }
        if (!ProcessWatch.isAlive(Long.parseLong(name.group(1)))) {
          Files.deleteIfExists(socket);
          continue;
        }
        try {
          answers.add(Asking.json(ControlSocket.ask(socket, List.of(PvfsService.NAME, "client"))));
        } catch (IOException | CommandFailure silent) {
          problems.add("the client of process " + name.group(1) + " did not answer: " + silent.getMessage());
        }
      }
    }
    return answers;
  }
}
