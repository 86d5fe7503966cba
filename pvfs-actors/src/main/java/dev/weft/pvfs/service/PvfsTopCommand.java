package dev.weft.pvfs.service;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.weft.pvfs.service.outside.OutsideOptions;
import dev.weft.pvfs.tcp.TcpFileSystem;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.measure.MeasureJson;
import dev.weft.service.process.Inspections;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import dev.weft.service.terminal.LookOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code weft pvfs top}. */
@Command(name = "top", description = {"Shows what daemons and clients of the running file system do, again and again until Ctrl-C: requests and",
    "bytes each second by operation and band, credits, bands that each client has found best, and the files of which most is moved. The files are",
    "inodes, as 'weft pvfs stat' shows them. Clients are the first JVM's, for commands, and mounts of this host. With --tcp: which nodes answer, what",
    "room there is, and mounts of this host."})
final class PvfsTopCommand implements Callable<Integer> {
  private static final String CLEAR = "\033[H\033[2J";

  @Spec private CommandSpec spec;

  @Mixin private OutsideOptions outside = new OutsideOptions();

  @Mixin private LookOptions looks = new LookOptions();

  @Option(names = "--json", description = "A JSON object for each interval, a line each.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    looks.check();
    StateDirectory states = StateDirectory.open();
    if (outside.isOutside(spec)) {
      try (TcpFileSystem files = outside.connect(spec)) {
        Probes probes = Asking.probes(files);
        this.<OutsideLook>again(problems -> look(states, probes, problems), (now, before) -> now.since(before), OutsideLook::text);
      }
    } else {
      try (Inspections inspections = Inspections.open(ConfigFactory.load())) {
        this.<TopLook>again(problems -> look(states, inspections, problems), (now, before) -> now.since(before), TopText::of);
      }
    }
    return ExitCode.OK;
  }

  private interface Looker<L> {
    L look(List<String> problems) throws IOException;
  }

  private <L> void again(Looker<L> looker, BiFunction<L, L, Map<String, Object>> since, Function<Map<String, Object>, List<String>> text)
      throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    boolean isTerminal = System.console() != null && System.console().isTerminal();
    L before = looker.look(new ArrayList<>());
    boolean goesOn = true;
    while (goesOn) {
      looks.pause();
      List<String> problems = new ArrayList<>();
      L now = looker.look(problems);
      show(since.apply(now, before), text, problems, isTerminal && !looks.isOnce(), out);
      before = now;
      goesOn = looks.goesOn(out);
    }
  }

  private static OutsideLook look(StateDirectory states, Probes probes, List<String> problems) throws IOException {
    return new OutsideLook(System.nanoTime(), Asking.json(probes.ask(1)).path("parts"), ofProcesses(states, problems));
  }

  /** Returns the clients of this host in their own processes. */
  private static Map<String, JsonNode> ofProcesses(StateDirectory states, List<String> problems) throws IOException {
    Map<String, JsonNode> clients = new LinkedHashMap<>();
    ClientSocket.askAll(states, problems).forEach(client -> clients.put(client.path("name").asText(), client.path("client")));
    return clients;
  }

  private static TopLook look(StateDirectory states, Inspections inspections, List<String> problems) throws IOException {
    List<RunState> running = states.requireRunning("./weft pvfs up");
    List<JsonNode> daemons = inspections.ask(running, "/weft/" + Daemons.SERVICE, problems);
    if (daemons.isEmpty() && problems.size() == running.size()) {
      throw new CommandFailure(String.join("; ", problems));
    }
    Map<String, JsonNode> clients = new LinkedHashMap<>();
    List<JsonNode> managers = inspections.ask(running, "/weft/" + PvfsService.NAME, problems);
    inspections.ask(running, "/weft/" + FileSystemHost.CLIENT_NODE, problems).forEach(client -> clients.put("commands", client));
    clients.putAll(ofProcesses(states, problems));
    TopLook look = TopLook.of(System.nanoTime(), daemons, managers, clients);
    if (look.daemons().isEmpty() && problems.isEmpty()) {
      throw new CommandFailure("this fabric has no parallel file system; './weft pvfs up' starts one that has");
    }
    return look;
  }

  private void show(Map<String, Object> look, Function<Map<String, Object>, List<String>> text, List<String> problems, boolean clears, PrintWriter out) {
    if (json) {
      look.put("problems", problems);
      out.println(MeasureJson.line(look));
    } else {
      out.print(clears ? CLEAR : "");
      text.apply(look).forEach(out::println);
      problems.forEach(problem -> out.println("Not asked: " + problem));
      out.println();
    }
    out.flush();
  }
}
