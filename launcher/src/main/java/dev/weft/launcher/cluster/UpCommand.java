package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.launcher.http.HttpSettings;
import dev.weft.pager.nbd.NbdServer;
import dev.weft.pager.nbd.NbdSettings;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.SizeConverter;
import dev.weft.service.process.ChildJvm;
import dev.weft.service.process.EndOfProcess;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft up}: a fabric on this host, and a block device made of its memory. */
@Command(name = "up", description = "Start a fabric on this host and serve its memory as a block device over NBD.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft up                                     one JVM, 3 memory servers, NBD on 127.0.0.1:10809",
        "  ./weft up --jvms 4 --memory 1G --detach       memory in three other JVMs, 3 GiB, in the background",
        "  ./weft up --nbd unix:/tmp/weft.sock           a Unix socket instead of TCP",
        "  ./weft up --registration unpinned --resident 64M    servers lend more than they keep in memory",
        "  ./weft up --bind 192.168.7.1                  JVMs of other hosts that have its secret may join it"})
public final class UpCommand implements Callable<Integer> {
  private static final int DETACH_PATIENCE_S = 180;

  @Spec private CommandSpec spec;

  @Option(names = "--jvms", paramLabel = "N", defaultValue = "1",
      description = "JVMs, 1 to 16. With 1 all nodes live in this JVM; with more the memory servers live in the others.")
  private int jvms;

  @Option(names = "--servers", paramLabel = "N", defaultValue = "3", description = "Memory servers, 1 to 16 (default: 3).")
  private int servers;

  @Option(names = "--memory", paramLabel = "SIZE", defaultValue = "256M", converter = SizeConverter.class,
      description = "Memory that each server lends, touched at start if it is pinned (default: 256M).")
  private long memory;

  @Option(names = "--nbd", paramLabel = "ADDR",
      description = "Where NBD clients connect: HOST:PORT or unix:PATH; may be repeated (default: 127.0.0.1:10809).")
  private List<String> nbd = new ArrayList<>();

  @Option(names = "--http", paramLabel = "HOST:PORT", description = "Where HTTP inspection listens (default: 127.0.0.1:8558).")
  private String http;

  @Option(names = "--bind", paramLabel = "ADDRESS", defaultValue = HostAddress.DEFAULT, description = HostAddress.OPTION)
  private String bind;

  @Option(names = "--secret-file", paramLabel = "FILE", description = {SecretChoice.OPTION,
      "Without --bind there is none unless you name a file."})
  private Path secretFile;

  @Mixin private PagerOptions pager;

  @Option(names = "--tripwire", description = "Put a CLAN NIC with Tripwires into each node; HTTP inspection shows them as /weft/nics.")
  private boolean tripwire;

  @Option(names = "--detach", description = "Return when the block device is ready; the fabric runs on in the background.")
  private boolean detach;

  @Override
  public Integer call() throws Exception {
    check();
    HostAddress.of(bind);
    StateDirectory states = StateDirectory.open();
    states.forgetTheDead();
    MachineMemory.check(pager.physicalBytes(memory, ConfigFactory.load()), servers, jvms);
    for (RunState state : states.running()) {
      if (state.kind() == RunState.Kind.UP) {
        throw new CommandFailure("a fabric is up already (pid " + state.pid() + ", " + state.http()
            + "); end it with './weft down', or set WEFT_STATE_DIR to run another beside it");
      }
    }
    // The process that carries the fabric holds "up"; one that starts it in the background keeps others from its log.
    try (StateDirectory.Lock _ = states.lock(detach ? "detach" : "up")) {
      return detach ? detach(states) : run(states, SecretChoice.forUp(secretFile, ConfigFactory.load(), states, HostAddress.of(bind)));
    }
  }

  private void check() {
    range("--jvms", jvms, 16);
    range("--servers", servers, 16);
    if (jvms > 1 && servers < jvms - 1) {
      throw new ParameterException(spec.commandLine(), "--servers is " + servers + ", but " + jvms
          + " JVMs need at least " + (jvms - 1) + ": each JVM but the first carries one or more");
    }
    if (memory < 1 << 20 || memory % 4096 != 0) {
      throw new ParameterException(spec.commandLine(), "--memory is " + memory + " bytes; it must be a multiple of 4096 and at least 1M");
    }
    pager.checkResident(memory, ConfigFactory.load());
    checkAddresses();
  }

  /** Before anything is started that an address which can never be served would end. */
  private void checkAddresses() {
    NbdSettings nbdSettings;
    HttpSettings httpSettings;
    try {
      nbdSettings = NbdSettings.from(effectiveConfig());
      httpSettings = HttpSettings.from(effectiveConfig());
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(e.getMessage(), e); // Settings: the message says all.
    }
    check("--nbd", !nbd.isEmpty(), () -> NbdServer.checkAddresses(nbdSettings));
    check("--http", http != null, () -> (http == null ? httpSettings : httpSettings.at(http)).checkAddress());
  }

  /** Something that an option or the configuration says. */
  private interface Checked {
    void check() throws IOException;
  }

  private void check(String option, boolean isGiven, Checked checked) {
    try {
      checked.check();
    } catch (IOException | IllegalArgumentException e) {
      if (isGiven && e instanceof IllegalArgumentException) {
        throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
      }
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  private void range(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new ParameterException(spec.commandLine(), option + " is " + value + ", must be from 1 to " + most);
    }
  }

  private int run(StateDirectory states, SecretChoice secret) throws Exception {
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
    try (RunningFabric running = RunningFabric.start(effectiveConfig(), states, plan(secret), out::println)) {
      up.set(running);
      running.describe().forEach(out::println);
      out.println("Ready. Ctrl-C or './weft down' ends it.");
      out.flush();
      running.awaitEnd();
    } catch (Exception e) {
      if (!asked.get()) {
        throw e;
      }
      return ExitCode.INTERRUPTED; // Asked to end while it was starting: what had been started is ended.
    } finally {
      EndOfProcess.done();
    }
    return ExitCode.OK;
  }

  private Config effectiveConfig() {
    Config config = pager.applyTo(ConfigFactory.load());
    return nbd.isEmpty() ? config : config.withValue("weft.pager.nbd.listen", ConfigValueFactory.fromIterable(nbd));
  }

  private RunningFabric.Plan plan(SecretChoice secret) {
    return new RunningFabric.Plan(jvms, servers, memory, http, HostAddress.of(bind), secret, pager.arguments(), tripwire);
  }

  private int detach(StateDirectory states) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("up", "--jvms=" + jvms, "--servers=" + servers, "--memory=" + memory, "--bind=" + bind));
    arguments.addAll(pager.arguments());
    nbd.forEach(address -> arguments.add("--nbd=" + address));
    if (http != null) {
      arguments.add("--http=" + http);
    }
    if (secretFile != null) {
      arguments.add("--secret-file=" + secretFile.toAbsolutePath());
    }
    if (tripwire) {
      arguments.add("--tripwire");
    }
    Path log = states.logFile("up");
    Files.deleteIfExists(log);
    ChildJvm child = ChildJvm.start("weft up", arguments, log);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DETACH_PATIENCE_S);
    while (System.nanoTime() < end) {
      if (states.running().stream().anyMatch(state -> state.pid() == child.pid())) {
        List<String> said = Files.readAllLines(log);
        if (said.stream().anyMatch(line -> line.startsWith("Ready."))) { // It has written its state before it has said everything.
          PrintWriter out = spec.commandLine().getOut();
          said.stream().filter(line -> !line.startsWith("Ready.")).forEach(out::println);
          out.println("Ready in the background, pid " + child.pid() + ". './weft status' looks, './weft down' ends it.");
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
