package dev.weft.service.process;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.NodeLink;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.Services;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Option;

/** The far JVM of {@link TwoJvms}. A hidden command mixes in its options and calls {@link #run}. */
public final class FarJvm {
  /** The name of a service that rejects every connection. It starts last, so once it is known, everything else is ready. */
  static final String READY_SERVICE = "far-jvm-ready";

  @Option(names = "--seed", required = true, paramLabel = "HOST:PORT", description = "control plane of the near JVM")
  private String seed;

  @Option(names = "--driver", required = true, paramLabel = "DIR", description = "directory of the media driver")
  private Path driver;

  @Option(names = "--parent", required = true, paramLabel = "PID", description = "ends when this process ends")
  private long parent;

  @Option(names = "--mtu", paramLabel = "BYTES", description = "path MTU")
  private Integer mtu;

  @Option(names = "--equip", paramLabel = "SERVICE", description = "put a device of this service into the node; may be repeated")
  private List<String> equip = List.of();

  /** Starts the services that the far node offers to the near one. */
  @FunctionalInterface
  public interface Offers {
    /**
     * Starts the services.
     *
     * @param directory for files of this run; deleted at its end
     * @return handles of the services in the order of their start; they are closed in reverse order
     */
    List<AutoCloseable> on(ClusterFabric fabric, Node far, Path directory) throws Exception;
  }

  /**
   * Starts the services and runs until the near JVM has ended or stops this one.
   *
   * @param overrides settings over the usual configuration
   * @return an exit code
   * @throws CommandFailure if the fabric has failed
   */
  public int run(Map<String, Object> overrides, Offers offers) throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    AtomicReference<String> failure = new AtomicReference<>();
    EndOfProcess.endOnSignal(ended::countDown);
    EndOfProcess.endWith(parent);
    Config config = ConfigFactory.parseMap(withMtu(overrides)).withFallback(ConfigFactory.load());
    ClusterFabric.Place place = new ClusterFabric.Place("127.0.0.1", 0, List.of(seed), List.of(TwoJvms.ROLE),
        MediaDriverSettings.of(config).withDirectory(driver), NodeLink.DIRECT, reason -> {
          failure.set(reason);
          ended.countDown();
        });
    try (ClusterFabric fabric = ClusterFabric.start(place, config)) {
      Node far = fabric.addNode(TwoJvms.FAR);
      equip.forEach(service -> Services.named(service).equip(fabric, far));
      List<AutoCloseable> offered = offers.on(fabric, far, driver.toAbsolutePath().getParent());
      far.cm().listen(READY_SERVICE, request -> request.reject(new byte[0]));
      ended.await();
      far.cm().unlisten(READY_SERVICE);
      for (AutoCloseable offer : offered.reversed()) {
        offer.close();
      }
    } finally {
      EndOfProcess.done();
    }
    if (failure.get() != null) {
      throw new CommandFailure(failure.get());
    }
    return ExitCode.OK;
  }

  private Map<String, Object> withMtu(Map<String, Object> overrides) {
    Map<String, Object> all = new LinkedHashMap<>(overrides);
    if (mtu != null) {
      all.put("weft.hca.path-mtu-max", mtu);
    }
    return all;
  }
}
