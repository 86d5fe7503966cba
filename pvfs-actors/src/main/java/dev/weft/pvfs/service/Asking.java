package dev.weft.pvfs.service;

import dev.weft.service.ExitCode;
import dev.weft.service.process.ControlSocket;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** How a command asks the JVM that has the file system. */
final class Asking {
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
}
