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

/** A further JVM of {@link JobJvms}: the options that it is started with, to be mixed into a hidden command, and its life. */
public final class JobPeer {
  @Option(names = "--seed", required = true, paramLabel = "HOST:PORT", description = "control plane of the first JVM")
  private String seed;

  @Option(names = "--driver", required = true, paramLabel = "DIR", description = "directory of the media driver")
  private Path driver;

  @Option(names = "--parent", required = true, paramLabel = "PID", description = "ends when this process ends")
  private long parent;

  /** What this JVM does for the job. */
  public interface Share {
    /** Does it. */
    void run() throws Exception;

    /** Ends it early; any thread. */
    void abort(String why);
  }

  /**
   * Does its share, then waits until it is told to end, or its parent has ended: leaving the cluster while others run would only disturb them.
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
