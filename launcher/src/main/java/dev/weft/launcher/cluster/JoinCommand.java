package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.launcher.cli.Composed;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.Launch;
import dev.weft.service.Part;
import dev.weft.service.Service;
import dev.weft.service.access.FabricAccess;
import dev.weft.service.access.FabricChoice;
import dev.weft.service.access.FabricOptions;
import dev.weft.service.access.HostAddress;
import dev.weft.service.process.EndOfProcess;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft join}: joins a running fabric with another JVM, and offers memory to it. */
@Command(name = "join", description = {"Offer memory of another JVM to a running fabric.",
    "The fabric serves it as an NBD export of its own, named after the node, while this command runs."},
    footerHeading = "%nExamples:%n", footer = {
        "  ./weft join 127.0.0.1:25520 --memory 512M",
        "  ./weft join 192.168.7.1 --secret-file ~/weft-secret     from another host"})
public final class JoinCommand implements Callable<Integer>, Composed {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Spec private CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "HOST[:PORT]", description = "Control plane of the fabric, as 'weft up' and 'weft status' print it; the same"
      + " as --fabric.")
  private String seed;

  @Mixin private FabricOptions options = new FabricOptions();

  private Parts<Part> services;

  @Override
  public void compose(CommandSpec command) {
    services = Parts.of(Service::joined);
    services.addOptionsTo(command);
  }

  @Override
  public Integer call() throws Exception {
    Config config = services.applyTo(ConfigFactory.load(), spec);
    services.check(new Launch(1, config, spec));
    StateDirectory states = StateDirectory.open();
    states.requireRoom(1);
    run(config, states, options.choice(seed, config, spec));
    return ExitCode.OK;
  }

  private void run(Config config, StateDirectory states, FabricChoice choice) throws Exception {
    String fabric = choice.target().seed();
    HostAddress host = choice.bind();
    PrintWriter out = spec.commandLine().getOut();
    try (FabricProcess process = new FabricProcess(config, states, host,
        (link, lost) -> FabricAccess.enter(choice, config, new FabricAccess.Entry(MemberCommand.ROLE, link, lost)))) {
      EndOfProcess.endOnSignal(process::end);
      if (!process.awaitMembership(PATIENCE)) {
        throw new CommandFailure(choice.silence());
      }
      process.startAll(services);
      process.publish(RunState.Kind.JOIN, "127.0.0.1:0");
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
