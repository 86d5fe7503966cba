package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.launcher.cli.Composed;
import dev.weft.launcher.http.HttpSettings;
import dev.weft.service.CommandFailure;
import dev.weft.service.Deployment;
import dev.weft.service.ExitCode;
import dev.weft.service.Launch;
import dev.weft.service.Service;
import dev.weft.service.access.HostAddress;
import dev.weft.service.access.SecretChoice;
import dev.weft.service.process.ChildJvm;
import dev.weft.service.process.EndOfProcess;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft up}: starts a fabric on this host, and the services that run on it. */
@Command(name = "up", description = "Start a fabric on this host and serve its memory as a block device over NBD.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft up                                     one JVM, 3 memory servers, NBD on 127.0.0.1:10809",
        "  ./weft up --jvms 4 --memory 1G --detach       memory in three other JVMs, 3 GiB, in the background",
        "  ./weft up --nbd unix:/tmp/weft.sock           a Unix socket instead of TCP",
        "  ./weft up --registration unpinned --resident 64M    servers lend more than they keep in memory",
        "  ./weft up --bind 192.168.7.1                  JVMs of other hosts that have its secret may join it"})
public final class UpCommand implements Callable<Integer>, Composed {
  private static final String DETACH = "--detach";
  private static final int JVMS_MAX = 16;
  private static final int DETACH_PATIENCE_S = 180;

  @Spec private CommandSpec spec;

  @Option(names = "--jvms", paramLabel = "N", defaultValue = "1",
      description = "JVMs, 1 to 16. With 1, this JVM runs everything; with more, the other JVMs run the servers, such as memory servers.")
  private int jvms;

  @Option(names = "--http", paramLabel = "HOST:PORT", description = "Where HTTP inspection listens (default: 127.0.0.1:8558).")
  private String http;

  @Option(names = "--bind", paramLabel = "ADDRESS", description = HostAddress.OPTION)
  private String bind;

  @Option(names = "--secret-file", paramLabel = "FILE", description = {SecretChoice.OPTION,
      "Without --bind there is none unless you name a file."})
  private Path secretFile;

  @Option(names = DETACH, description = "Return when the fabric is ready; it runs on in the background.")
  private boolean detach;

  private Parts<Deployment> services;

  @Override
  public void compose(CommandSpec command) {
    services = Parts.of(Service::deployment);
    services.addOptionsTo(command);
  }

  @Override
  public Integer call() throws Exception {
    if (jvms < 1 || jvms > JVMS_MAX) {
      throw new ParameterException(spec.commandLine(), "--jvms is " + jvms + ", must be from 1 to " + JVMS_MAX);
    }
    Launch launch = new Launch(jvms, services.applyTo(ConfigFactory.load(), spec), spec);
    checkHttp(launch.config());
    HostAddress host = HostAddress.forUp(bind, launch.config());
    StateDirectory states = StateDirectory.open();
    refuseBesideUnrecorded(states); // Before dead JVMs are forgotten, because the first JVM may be one whose record is not back yet.
    states.forgetTheDead();
    services.check(launch);
    refuseSecond(states);
    states.requireRoom(jvms);
    // The process of the fabric holds the claim of the first JVM. One that starts it in the background holds another, to protect the log.
    try (StateDirectory.Lock claim = states.lock(detach ? "detach" : StateDirectory.FIRST_JVM)) {
      return detach ? detach(states) : run(states, launch, host, SecretChoice.forUp(secretFile, ConfigFactory.load(), states, host), claim);
    }
  }

  private static void refuseBesideUnrecorded(StateDirectory states) throws IOException {
    List<Long> lost = states.awaitRecords(ConfigFactory.load());
    if (!lost.isEmpty()) {
      throw new CommandFailure("a fabric runs with the state directory " + states.path() + ", but somebody removed its records there (pid "
          + lost.stream().map(String::valueOf).collect(Collectors.joining(", ")) + "); end it with './weft down'");
    }
  }

  private static void refuseSecond(StateDirectory states) throws IOException {
    for (RunState state : states.running()) {
      if (state.kind() == RunState.Kind.UP) {
        throw new CommandFailure("a fabric is up already (pid " + state.pid() + ", " + state.http()
            + "); end it with './weft down', or set WEFT_STATE_DIR to run another beside it");
      }
    }
  }

  /** Checks the HTTP address before anything starts, because a wrong one would end the fabric later. */
  private void checkHttp(Config config) {
    HttpSettings settings;
    try {
      settings = HttpSettings.from(config);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(e.getMessage(), e); // A wrong setting: the message is enough.
    }
    try {
      (http == null ? settings : settings.at(http)).checkAddress();
    } catch (IOException | IllegalArgumentException e) {
      if (http != null && e instanceof IllegalArgumentException) {
        throw new ParameterException(spec.commandLine(), "--http: " + e.getMessage(), e);
      }
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  private int run(StateDirectory states, Launch launch, HostAddress host, SecretChoice secret, StateDirectory.Lock claim) throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    Thread starting = Thread.currentThread();
    AtomicReference<RunningFabric> up = new AtomicReference<>();
    AtomicBoolean asked = new AtomicBoolean();
    EndOfProcess.endOnSignal(() -> {
      asked.set(true);
      RunningFabric running = up.get();
      if (running == null) {
        starting.interrupt();
      } else {
        running.end();
      }
    });
    try (RunningFabric running = RunningFabric.start(states,
        new RunningFabric.Plan(launch, http, host, secret, services), out::println)) {
      up.set(running);
      running.keep(claim);
      LastEnd.forget(states);
      running.describe().forEach(out::println);
      out.println("Ready. Ctrl-C or './weft down' ends it.");
      out.flush();
      running.awaitEnd();
    } catch (Exception e) {
      if (!asked.get()) {
        if (up.get() != null) {
          LastEnd.write(states, e);
        }
        throw e;
      }
      return ExitCode.INTERRUPTED; // Asked to end during the start; all that had started has ended.
    } finally {
      EndOfProcess.done();
    }
    return ExitCode.OK;
  }

  private int detach(StateDirectory states) throws Exception {
    List<String> arguments = new ArrayList<>(spec.root().commandLine().getParseResult().expandedArgs());
    arguments.removeIf(argument -> argument.equals(DETACH) || argument.startsWith(DETACH + "="));
    Path log = states.logFile("up");
    Files.deleteIfExists(log);
    ChildJvm child = ChildJvm.start("weft up", arguments, log);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DETACH_PATIENCE_S);
    while (System.nanoTime() < end) {
      if (states.running().stream().anyMatch(state -> state.pid() == child.pid())) {
        List<String> said = Files.readAllLines(log);
        if (said.stream().anyMatch(line -> line.startsWith("Ready."))) { // The child writes its record before it prints all lines.
          PrintWriter out = spec.commandLine().getOut();
          said.stream().filter(line -> !line.startsWith("Ready.")).forEach(out::println);
          out.println("Ready in the background, pid " + child.pid() + ". './weft status' shows its state, './weft down' ends it.");
          return ExitCode.OK;
        }
      }
      if (!child.isAlive()) {
        String reason = child.reason();
        throw new CommandFailure((reason == null ? "the fabric ended before it was ready" : reason) + " (log: " + log + ")");
      }
      Thread.sleep(100);
    }
    child.stop(10);
    throw new CommandFailure("the fabric was not ready after " + DETACH_PATIENCE_S + " s; its log is " + log);
  }
}
