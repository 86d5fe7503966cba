package dev.example.toy;

import dev.weft.service.Deployment;
import dev.weft.service.Host;
import dev.weft.service.Launch;
import dev.weft.service.Running;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Toys in {@code weft up}: one in each further JVM that gets one. */
final class ToyDeployment implements Deployment {
  @Option(names = "--toys", paramLabel = "N", defaultValue = "0", description = "Toys, each in a further JVM (default: 0).")
  private int toys;

  @Override
  public void check(Launch launch) {
    if (toys < 0 || toys > launch.jvms() - 1) {
      throw new ParameterException(launch.spec().commandLine(), "--toys is " + toys + ", must be from 0 to --jvms less one");
    }
  }

  @Override
  public List<String> argumentsOf(int member, Launch launch) {
    return member <= toys ? List.of("--toy=toy-" + member) : List.of();
  }

  @Override
  public Running start(Host host) {
    return new RunningToys(host, toys);
  }
}
