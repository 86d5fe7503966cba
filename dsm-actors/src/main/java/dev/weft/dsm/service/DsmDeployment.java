package dev.weft.dsm.service;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.fabric.memory.AvailableMemory;
import dev.weft.service.CommandFailure;
import dev.weft.service.Deployment;
import dev.weft.service.Host;
import dev.weft.service.Launch;
import dev.weft.service.Running;
import dev.weft.service.SizeConverter;
import java.util.List;
import java.util.stream.IntStream;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Shared memory in {@code weft up}: a node in each of its JVMs, the first one in this JVM. */
public final class DsmDeployment implements Deployment {
  static final String SPACE_PATTERN = "[A-Za-z0-9-]{1,32}";
  private static final String NODE_PREFIX = "dsm-";
  private static final double OFFERED_MAX = 0.9;

  @Option(names = "--dsm", paramLabel = "NAME", description = "Serve shared memory of this name: each JVM carries a node of it, dsm-0 and so on, which are"
      + " the homes of what programs that join allocate.")
  private String space;

  @Option(names = "--dsm-memory", paramLabel = "SIZE", converter = SizeConverter.class,
      description = "Size of the shared memory; each node has frames for all of it (default: weft.dsm.memory).")
  private Long memory;

  private int jvms = 1;

  @Override
  public Config applyTo(Config config) {
    return memory == null ? config : config.withValue("weft.dsm.memory", ConfigValueFactory.fromAnyRef(memory, "--dsm-memory"));
  }

  @Override
  public void check(Launch launch) {
    jvms = launch.jvms();
    if (space == null) {
      if (memory != null) {
        throw new ParameterException(launch.spec().commandLine(), "--dsm-memory has no effect without --dsm NAME");
      }
      return;
    }
    if (!space.matches(SPACE_PATTERN)) {
      throw new ParameterException(launch.spec().commandLine(), "--dsm is '" + space + "', must be 1 to 32 letters, digits and dashes");
    }
    long bytes;
    try {
      bytes = DsmSettings.from(launch.config()).memoryBytes();
    } catch (IllegalArgumentException wrong) {
      if (memory != null) {
        throw new ParameterException(launch.spec().commandLine(), wrong.getMessage().replace("weft.dsm.memory", "--dsm-memory"), wrong);
      }
      throw new CommandFailure(wrong.getMessage(), wrong);
    }
    if (bytes * launch.jvms() > AvailableMemory.bytes() * OFFERED_MAX) {
      throw new CommandFailure("shared memory of " + (bytes >> 20) + " MiB in " + launch.jvms() + " JVMs is more than nine tenths of the "
          + (AvailableMemory.bytes() >> 20) + " MiB that are available; choose a smaller --dsm-memory or fewer --jvms");
    }
  }

  private static List<String> names(int jvms) {
    return IntStream.range(0, jvms).mapToObj(jvm -> NODE_PREFIX + jvm).toList();
  }

  @Override
  public List<String> argumentsOf(int member, Launch launch) {
    return space == null ? List.of()
        : List.of("--dsm=" + space, "--dsm-node=" + names(launch.jvms()).get(member), "--dsm-first=" + names(launch.jvms()).getFirst(),
            "--dsm-memory=" + DsmSettings.from(launch.config()).memoryBytes());
  }

  @Override
  public Running start(Host host) throws InterruptedException {
    DsmNodes nodes = new DsmNodes(host);
    if (space != null) {
      nodes.found(space, names(jvms));
    }
    return nodes;
  }
}
