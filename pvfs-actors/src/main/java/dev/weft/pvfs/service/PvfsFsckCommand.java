package dev.weft.pvfs.service;

import dev.weft.pvfs.check.Problem;
import dev.weft.pvfs.manager.Finding;
import dev.weft.pvfs.manager.Fsck;
import dev.weft.pvfs.store.RocksSettings;
import dev.weft.pvfs.store.RocksStore;
import dev.weft.pvfs.store.StoreException;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.measure.MeasureJson;
import dev.weft.service.process.ControlSocket;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft pvfs fsck}. */
@Command(name = "fsck", description = {"Checks the file system while it is in use: its metadata, and whether the I/O daemons have what the manager knows.",
    "The exit code is 0 if it found no error, 1 if it found one, also if it repaired it."})
final class PvfsFsckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--repair", description = "Repair what is possible. Files without a name get one in /lost+found; objects of missing files are removed, "
      + "if the metadata are sound.")
  private boolean repairs;

  @Option(names = "--discard-doubtful", description = "With --repair: also remove objects of files whose record was lost; they may be all "
      + "that is left of them.")
  private boolean discards;

  @Option(names = "--no-scrub", description = "Do not let the daemons read all data to compare checksums.")
  private boolean isWithoutScrub;

  @Option(names = "--json", description = "One JSON object instead of text.")
  private boolean isJson;

  @Option(names = "--dir", paramLabel = "DIR", description = "Check the metadata of a file system that does not run, in the directory of its manager.")
  private Path directory;

  @Option(names = "--tcp", hidden = true)
  private String outside;

  @Option(names = "--secret-file", hidden = true)
  private String secret;

  private record Result(String files, String objects, List<Problem> problems) {}

  @Override
  public Integer call() throws Exception {
    if (outside != null || secret != null) {
      throw new ParameterException(spec.commandLine(), "fsck runs in the JVM of the manager and stops its service meanwhile; a "
          + "client outside of the fabric may not start it. Run it without --tcp on the host of 'weft up'");
    }
    if (discards && (!repairs || directory != null)) {
      throw new ParameterException(spec.commandLine(), "--discard-doubtful is for --repair of a file system that runs");
    }
    Result result = directory == null ? ofRunning() : ofDirectory();
    PrintWriter out = spec.commandLine().getOut();
    if (isJson) {
      out.println(MeasureJson.line(json(result)));
    } else {
      result.problems().forEach(out::println);
      out.println(result.problems().isEmpty() ? "sound" : result.problems().size() + " problems, "
          + result.problems().stream().filter(Problem::isMended).count() + " of them repaired");
    }
    out.flush();
    return result.problems().isEmpty() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private Result ofRunning() throws IOException {
    List<String> words = new ArrayList<>(List.of("fsck", repairs ? "repair" : "look", Long.toString(ProcessHandle.current().pid())));
    if (isWithoutScrub) {
      words.add("no-scrub");
    }
    if (discards) {
      words.add("discard-doubtful");
    }
    List<String> lines = ControlSocket.askUp(PvfsService.NAME, words);
    String[] counts = lines.getFirst().split(" ");
    List<Problem> problems = lines.stream().skip(1).map(line -> line.split(" ", 3))
        .map(parts -> new Problem(parts[0], parts[2], Boolean.parseBoolean(parts[1]))).toList();
    return new Result(counts[0], counts[1], problems);
  }

  private Result ofDirectory() {
    if (!Files.isDirectory(directory)) {
      throw new CommandFailure(directory + " is not a directory; name that of a manager");
    }
    Path inside = directory.resolve("manager"); // The layout of 'weft up --pvfs-dir'.
    try (RocksStore store = RocksStore.open(Files.isDirectory(inside) ? inside : directory, RocksSettings.DEFAULT)) {
      List<Finding> findings = repairs ? Fsck.repair(store) : Fsck.check(store);
      return new Result("", "", findings.stream().map(finding -> new Problem(finding.kind().name(), finding.text(), repairs)).toList());
    } catch (StoreException | IllegalStateException refused) {
      throw new CommandFailure(refused.getMessage(), refused);
    }
  }

  private static Map<String, Object> json(Result result) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("sound", result.problems().isEmpty());
    if (!result.files().isEmpty()) {
      json.put("files", Long.parseLong(result.files()));
      json.put("objects", Long.parseLong(result.objects()));
    }
    json.put("problems", result.problems().stream().map(problem -> Map.of("kind", problem.kind(), "text", problem.text(), "mended", problem.isMended()))
        .toList());
    return json;
  }
}
