package dev.weft.pvfs.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.service.outside.OutsideOptions;
import dev.weft.pvfs.tcp.TcpFileSystem;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.process.ControlSocket;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Sends a command's request to the JVM that has the file system. */
final class Asking {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Asking() {}

  /** Prints the answer of the file system of this host, or of the one that {@code outside} names; returns the exit code. */
  static int ask(CommandSpec spec, OutsideOptions outside, List<String> words) throws IOException {
    requireNames(spec, words);
    PrintWriter out = spec.commandLine().getOut();
    if (outside.isOutside(spec)) {
      try (TcpFileSystem files = outside.connect(spec)) {
        new Requests(files.files(), null).answer(words).forEach(out::println);
      }
    } else {
      ControlSocket.askUp(PvfsService.NAME, words).forEach(out::println);
    }
    out.flush();
    return ExitCode.OK;
  }

  /** Rejects empty paths. */
  static void requireNames(CommandSpec spec, List<String> paths) {
    if (paths.contains("")) {
      throw new ParameterException(spec.commandLine(), "a path is empty; name a file of the file system, such as /a");
    }
  }

  /** Returns an answer that is one JSON object. */
  static JsonNode askForJson(List<String> words) throws IOException {
    return json(ControlSocket.askUp(PvfsService.NAME, words));
  }

  /** Asks whether manager and daemons are reachable, as {@link Probes#ask}: from the first JVM, or from here if {@code outside} names a file system. */
  static JsonNode probe(CommandSpec spec, OutsideOptions outside, int times) throws IOException {
    if (!outside.isOutside(spec)) {
      return askForJson(List.of("probe", Integer.toString(times)));
    }
    try (TcpFileSystem files = outside.connect(spec)) {
      return json(probes(files).ask(times));
    }
  }

  /** Returns the probes of a TCP client after it has reached all daemons, or after its time limit. */
  static Probes probes(TcpFileSystem files) {
    Probes probes = new Probes(files.fabric().system(), files.files(), PvfsFileSystem.MANAGER_NODE);
    probes.awaitDaemons();
    return probes;
  }

  static JsonNode json(List<String> lines) {
    try {
      return MAPPER.readTree(String.join("\n", lines));
    } catch (JsonProcessingException other) {
      throw new CommandFailure("the answer is not JSON; use the same version of Weft as the fabric: " + other.getOriginalMessage(), other);
    }
  }
}
