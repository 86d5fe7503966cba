package dev.weft.lab.sim;

import java.io.PrintWriter;
import java.util.List;
import java.util.function.BiFunction;
import picocli.CommandLine;

/**
 * The entry into a copy of Weft with a planted bug: runs {@code weft sim} again. Takes the arguments of the command, and the writers of its output
 * and errors; returns its exit code.
 */
final class PlantedSim implements BiFunction<List<String>, List<PrintWriter>, Integer> {
  @Override
  public Integer apply(List<String> arguments, List<PrintWriter> writers) {
    return new CommandLine(SimCommand.create(true)).setOut(writers.getFirst()).setErr(writers.getLast()).execute(arguments.toArray(String[]::new));
  }
}
