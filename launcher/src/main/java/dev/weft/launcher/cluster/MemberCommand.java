package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.service.ExitCode;
import dev.weft.service.process.EndOfProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft member}: a JVM that {@code weft up} starts for its memory servers. Not for people. */
@Command(name = "member", hidden = true, description = "A further JVM of a fabric; started by 'weft up'.")
public final class MemberCommand implements Callable<Integer> {
  @Option(names = "--seed", required = true, paramLabel = "HOST:PORT", description = "Control plane of the first JVM.")
  private String seed;

  @Option(names = "--driver", required = true, paramLabel = "DIR", description = "Directory of the host's media driver.")
  private Path driver;

  @Option(names = "--bind", required = true, paramLabel = "ADDRESS", description = "Address of this host to listen on.")
  private String bind;

  @Option(names = "--node", required = true, paramLabel = "NAME", description = "Node to carry; may be repeated.")
  private List<String> nodes;

  @Option(names = "--memory", required = true, paramLabel = "BYTES", description = "Memory of each node.")
  private long memory;

  @Option(names = "--parent", required = true, paramLabel = "PID", description = "Ends when this process ends.")
  private long parent;

  @Option(names = "--tripwire", description = "Put a CLAN NIC into each node.")
  private boolean tripwire;

  @Option(names = "--secret-file", paramLabel = "FILE", description = "The fabric's secret, if it has one.")
  private Path secretFile;

  @Mixin private PagerOptions pager;

  @Override
  public Integer call() throws Exception {
    EndOfProcess.endWith(parent);
    Config config = pager.applyTo(ConfigFactory.load());
    HostAddress host = HostAddress.of(bind);
    FabricKeys keys = secretFile == null ? null : JoinAdmission.ask(JoinTarget.of(seed), host, new SecretChoice(secretFile, true));
    try (FabricProcess process = new FabricProcess(config, StateDirectory.open(), host, 0, List.of(seed), driver, "memory", keys)) {
      EndOfProcess.endOnSignal(process::end);
      for (String node : nodes) {
        process.addMemoryServer(node, memory);
      }
      if (tripwire) {
        process.attachNics();
      }
      process.publish(RunState.Kind.MEMBER, "127.0.0.1:0", List.of(), Map::of);
      process.awaitEnd();
    } finally {
      EndOfProcess.done();
    }
    return ExitCode.OK;
  }
}
