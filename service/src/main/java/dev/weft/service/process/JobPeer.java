package dev.weft.service.process;

import com.typesafe.config.Config;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.NodeLink;
import dev.weft.service.ExitCode;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** A further JVM of {@link JobJvms}. A hidden command mixes in its options and calls {@link #run}. */
public final class JobPeer {
  @Option(names = "--seed", required = true, paramLabel = "HOST:PORT", description = "control plane of the first JVM")
  private String seed;

  @Option(names = "--driver", required = true, paramLabel = "DIR", description = "directory of the media driver")
  private Path driver;

  @Option(names = "--parent", required = true, paramLabel = "PID", description = "ends when this process ends")
  private long parent;

  /** This JVM's share of the job. */
  public interface Share {
    /** Runs the share to its end. */
    void run() throws Exception;

    /** Ends the share early; any thread. */
    void abort(String why);
  }

  /**
   * Runs the share, then waits until the parent stops this JVM or has ended. Leaving the cluster earlier would disturb the JVMs that still run.
   *
   * @return an exit code
   */
  public int run(String job, Config config, Function<ClusterFabric, Share> share) throws Exception {
    EndOfProcess.endWith(parent);
    CountDownLatch ended = new CountDownLatch(1);
    ClusterFabric.Place place = new ClusterFabric.Place("127.0.0.1", 0, List.of(seed), List.of(job),
        MediaDriverSettings.of(config).withDirectory(driver), NodeLink.DIRECT, System.err::println);
    try (ClusterFabric fabric = ClusterFabric.start(place, config)) {
      Share mine = share.apply(fabric);
      EndOfProcess.endOnSignal(() -> {
        ended.countDown();
        mine.abort("this JVM was told to end, or the one that started the job has ended");
      });
      mine.run();
      ended.await();
    } finally {
      EndOfProcess.done();
    }
    return ExitCode.OK;
  }
}
