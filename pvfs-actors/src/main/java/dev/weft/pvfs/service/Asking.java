package dev.weft.pvfs.service;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.process.ControlSocket;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** How a command asks the JVM that has the file system. */
final class Asking {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Asking() {}

  /** Prints the answer; the exit code. */
  static int ask(CommandSpec spec, List<String> words) throws IOException {
    for (String word : words) {
      if (word.isEmpty() || word.indexOf('\n') >= 0 || word.indexOf('\0') >= 0) {
        throw new ParameterException(spec.commandLine(), "a path that is " + (word.isEmpty() ? "empty" : "of several lines")
            + "; commands take one line, programs may use any name");
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    ControlSocket.askUp(PvfsService.NAME, words).forEach(out::println);
    out.flush();
    return ExitCode.OK;
  }

  /** An answer that is one JSON object. */
  static JsonNode askForJson(List<String> words) throws IOException {
    return json(ControlSocket.askUp(PvfsService.NAME, words));
  }

  static JsonNode json(List<String> lines) {
    try {
      return MAPPER.readTree(String.join("\n", lines));
    } catch (JsonProcessingException other) {
      throw new CommandFailure("the answer is not JSON; is the fabric of another version? " + other.getOriginalMessage(), other);
    }
  }
}
