package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.launcher.cli.Composed;
import dev.weft.service.ExitCode;
import dev.weft.service.Part;
import dev.weft.service.Service;
import dev.weft.service.access.FabricAccess;
import dev.weft.service.access.HostAddress;
import dev.weft.service.process.EndOfProcess;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** {@code weft member}: a JVM that {@code weft up} starts for roles of its services. Users do not call it. */
@Command(name = "member", hidden = true, description = "A further JVM of a fabric; started by 'weft up'.")
public final class MemberCommand implements Callable<Integer>, Composed {
  /** Cluster role of the JVMs with the roles that the first JVM uses, such as memory servers. */
  static final String ROLE = "memory";

  @Option(names = "--seed", required = true, paramLabel = "HOST:PORT", description = "Control plane of the first JVM.")
  private String seed;

  @Option(names = "--driver", required = true, paramLabel = "DIR", description = "Directory of the host's media driver.")
  private Path driver;

  @Option(names = "--bind", required = true, paramLabel = "ADDRESS", description = "Address of this host to listen on.")
  private String bind;

  @Option(names = "--parent", required = true, paramLabel = "PID", description = "Ends when this process ends.")
  private long parent;

  @Option(names = "--secret-file", paramLabel = "FILE", description = "The fabric's secret, if it has one.")
  private Path secretFile;

  private Parts<Part> services;

  @Override
  public void compose(CommandSpec command) {
    services = Parts.of(Service::member);
    services.addOptionsTo(command);
  }

  @Override
  public Integer call() throws Exception {
    EndOfProcess.endWith(parent);
    Config config = services.applyTo(ConfigFactory.load());
    HostAddress host = HostAddress.of(bind);
    try (FabricProcess process = new FabricProcess(config, StateDirectory.open(), host, (link, lost) -> FabricAccess.enterAsMember(seed, host, driver,
        secretFile, config, new FabricAccess.Entry(ROLE, link, lost)))) {
      EndOfProcess.endOnSignal(process::end);
      process.startAll(services);
      process.publish(RunState.Kind.MEMBER, "127.0.0.1:0");
      process.awaitEnd();
    } finally {
      EndOfProcess.done();
    }
    return ExitCode.OK;
  }
}
