package dev.weft.tripwire.mpi.command;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.NodeLink;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.process.EndOfProcess;
import dev.weft.tripwire.mpi.examples.Examples;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft mpi-peer}: some ranks of {@code weft mpi run --jvms}; ends when it is told to, or with its parent. Not for people. */
@Command(name = "mpi-peer", hidden = true, description = "Some ranks of a job; started by 'weft mpi run --jvms'.")
public final class MpiPeerCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "EXAMPLE", description = "what to run")
  private String example;

  @Option(names = "--seed", required = true, paramLabel = "HOST:PORT", description = "control plane of the first JVM")
  private String seed;

  @Option(names = "--driver", required = true, paramLabel = "DIR", description = "directory of the media driver")
  private Path driver;

  @Option(names = "--parent", required = true, paramLabel = "PID", description = "ends when this process ends")
  private long parent;

  @Option(names = "--first", required = true, paramLabel = "RANK", description = "the first rank here")
  private int first;

  @Option(names = "--count", required = true, paramLabel = "N", description = "ranks here")
  private int count;

  @Option(names = "--ranks", required = true, paramLabel = "N", description = "ranks of the job")
  private int total;

  @Override
  public Integer call() throws Exception {
    EndOfProcess.endWith(parent);
    CountDownLatch ended = new CountDownLatch(1);
    Config config = ConfigFactory.load();
    ClusterFabric.Place place = new ClusterFabric.Place("127.0.0.1", 0, List.of(seed), List.of("mpi"),
        MediaDriverSettings.of(config).withDirectory(driver), NodeLink.DIRECT, System.err::println);
    try (ClusterFabric fabric = ClusterFabric.start(place, config)) {
      Ranks ranks = new Ranks(fabric, fabric::addNode, Examples.named(example), first, count, total);
      Runnable end = () -> {
        ended.countDown();
        ranks.abort("this JVM was told to end, or the one that started the job has ended");
      };
      EndOfProcess.endOnSignal(end);
      ranks.join();
      if (ranks.failure() != null) {
        throw new CommandFailure(ranks.failure().toString());
      }
      ended.await(); // Leaving the cluster while others run would only disturb them.
    } finally {
      EndOfProcess.done();
    }
    return ExitCode.OK;
  }
}
