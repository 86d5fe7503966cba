package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.launcher.cli.Composed;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.Launch;
import dev.weft.service.Part;
import dev.weft.service.Service;
import dev.weft.service.process.DriverPlace;
import dev.weft.service.process.EndOfProcess;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft join}: joins a running fabric with another JVM, and offers memory to it. */
@Command(name = "join", description = {"Offer memory of another JVM to a running fabric.",
    "The fabric serves it as an NBD export of its own, named after the node, while this command runs."},
    footerHeading = "%nExamples:%n", footer = {
        "  ./weft join 127.0.0.1:25520 --memory 512M",
        "  ./weft join 192.168.7.1:25520 --bind 192.168.7.2 --secret-file ~/weft-secret    from another host"})
public final class JoinCommand implements Callable<Integer>, Composed {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "HOST:PORT", description = "Control plane of the fabric, as 'weft up' and 'weft status' print it.")
  private String seed;

  @Option(names = "--bind", paramLabel = "ADDRESS", defaultValue = HostAddress.DEFAULT, description = HostAddress.OPTION)
  private String bind;

  @Option(names = "--secret-file", paramLabel = "FILE", description = SecretChoice.OPTION)
  private Path secretFile;

  private Parts<Part> services;

  @Override
  public void compose(CommandSpec command) {
    services = Parts.of(Service::joined);
    services.addOptionsTo(command);
  }

  @Override
  public Integer call() throws Exception {
    if (!JoinTarget.isTarget(seed)) {
      throw new ParameterException(spec.commandLine(), "'" + seed + "' is not HOST:PORT with a port from 1 to 65535");
    }
    Config config = services.applyTo(ConfigFactory.load(), spec);
    services.check(new Launch(1, config, spec));
    HostAddress host = HostAddress.of(bind);
    JoinTarget target = JoinTarget.of(seed);
    target.checkReachableFrom(host);
    run(config, host, target);
    return ExitCode.OK;
  }

  private void run(Config config, HostAddress host, JoinTarget target) throws Exception {
    StateDirectory states = StateDirectory.open();
    states.requireRoom(1);
    states.awaitRecords(config);
    FabricKeys keys = JoinAdmission.ask(target, host, SecretChoice.forJoin(secretFile, config, states));
    String fabric = target.seed();
    Optional<Path> recorded = states.running().stream().filter(state -> state.address().equals(fabric)).map(RunState::driverDirectory).findFirst();
    PrintWriter out = spec.commandLine().getOut();
    try (DriverPlace driver = DriverPlace.forJoin(config, recorded, fabric);
        FabricProcess process = new FabricProcess(config, states, host, 0, List.of(fabric), driver.path(), MemberCommand.ROLE, keys)) {
      EndOfProcess.endOnSignal(process::end);
      if (!process.awaitMembership(PATIENCE)) {
        throw new CommandFailure("no fabric answered at " + fabric + "; './weft status' on its host shows the address of a running one"
            + (host.isLoopback() ? "" : ", and firewalls must let UDP pass between the hosts in both directions, to any port"));
      }
      process.startAll(services);
      process.publish(RunState.Kind.JOIN, "127.0.0.1:0");
      host.warnings().forEach(out::println);
      process.running().values().forEach(service -> service.describe().forEach(out::println));
      out.println("This JVM is in the fabric at " + fabric + ". Ctrl-C takes it out.");
      out.flush();
      if (!process.awaitEndWhileThereIs(RunningFabric.ROLE)) {
        out.println("The fabric at " + fabric + " has ended, and with it this JVM.");
        out.flush();
      }
    } finally {
      EndOfProcess.done();
    }
  }
}
