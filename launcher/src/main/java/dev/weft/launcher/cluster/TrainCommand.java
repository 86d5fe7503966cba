package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.fabric.files.FileTree;
import dev.weft.launcher.cli.ServiceCommands;
import dev.weft.service.CommandFailure;
import dev.weft.service.Deployment;
import dev.weft.service.ExitCode;
import dev.weft.service.Launch;
import dev.weft.service.Service;
import dev.weft.service.Services;
import dev.weft.service.access.FabricAccess;
import dev.weft.service.access.HostAddress;
import dev.weft.service.access.SecretChoice;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code weft train}: does in one JVM what the JVMs of {@code weft up} do, so that this JVM can record it in an AOT cache. {@code ./weft}
 * starts it with {@code -XX:AOTCacheOutput}.
 */
@Command(name = "train", description = "Make an AOT cache of this build: later starts are faster.",
    footerHeading = "%nExamples:%n", footer = {
        "  ./weft train               half a minute, once for each build",
        "  WEFT_NO_AOT=1 ./weft up    without the cache"})
public final class TrainCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Spec private CommandSpec spec;

  /** For tests; with this option, {@code ./weft} makes no cache. */
  @Option(names = "--seconds", paramLabel = "N", defaultValue = "2", hidden = true, description = "Time for requests to memory of each kind.")
  private int seconds;

  @Override
  public Integer call() throws Exception {
    Path directory = directory();
    try {
      train(StateDirectory.open(directory.resolve("state")), directory);
    } finally {
      FileTree.delete(directory);
    }
    return ExitCode.OK;
  }

  /** Makes a directory in the one that {@code ./weft} has made and always removes, or else in /dev/shm or the directory for temporary files. */
  private static Path directory() throws IOException {
    Path given = Path.of(System.getProperty("weft.train.directory", "/dev/shm"));
    return Files.createTempDirectory(Files.isWritable(given) ? given : Path.of(System.getProperty("java.io.tmpdir")), "weft-train-");
  }

  private void train(StateDirectory states, Path directory) throws Exception {
    HostAddress host = HostAddress.of(HostAddress.DEFAULT);
    Parts<Deployment> services = Parts.of(Service::deployment).small(directory);
    Config config = services.applyTo(ConfigFactory.load()
        .withValue("weft.fabric.cluster.media-driver.directory", ConfigValueFactory.fromAnyRef(directory.resolve("driver").toString())));
    RunningFabric.Plan plan = new RunningFabric.Plan(new Launch(1, config, spec), "127.0.0.1:0", host, new SecretChoice(null, false), services);
    Duration time = Duration.ofSeconds(seconds);
    try (RunningFabric running = RunningFabric.start(states, plan, line -> {})) {
      running.exercise(time);
      RunState first = states.running().getFirst();
      // A second member of the fabric in this JVM, so that the cache records both ends of a trunk.
      try (FabricProcess joining = new FabricProcess(config, states, host, (link, lost) -> FabricAccess.enterAsMember(first.address(), host,
          first.driverDirectory(), null, config, new FabricAccess.Entry(MemberCommand.ROLE, link, lost)))) {
        if (!joining.awaitMembership(PATIENCE)) {
          throw new CommandFailure("the second member has not joined within " + PATIENCE.toSeconds() + " s");
        }
        joining.startAll(Parts.of(Service::joined).small(directory));
        joining.publish(RunState.Kind.JOIN, "127.0.0.1:0");
        running.exercise(time);
      }
      running.describe();
    }
    runWhatServicesWant();
  }

  private void runWhatServicesWant() {
    for (Service service : Services.all()) {
      for (List<String> words : service.training()) {
        ServiceCommands.named(words.getFirst(), spec.commandLine()).ifPresent(line -> line.setOut(new PrintWriter(Writer.nullWriter()))
            .setErr(new PrintWriter(Writer.nullWriter())).execute(words.subList(1, words.size()).toArray(String[]::new)));
      }
    }
  }
}
