package dev.weft.launcher.perftest;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.hca.experiments.NetVmService;
import dev.weft.hca.experiments.PingPongService;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.NodeLink;
import dev.weft.launcher.tripwire.TripwireService;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.process.EndOfProcess;
import dev.weft.tripwire.Nic;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weft perftest-peer}: the far JVM of {@code perftest --jvms 2}, {@code netvm --jvms 2} and of {@code repro}; ends with its parent. Not for people. */
@Command(name = "perftest-peer", hidden = true,
    description = "The far JVM of a perftest; started by 'weft perftest --jvms 2', 'weft netvm --jvms 2' and 'weft repro'.")
public final class PerftestPeerCommand implements Callable<Integer> {
  @Option(names = "--seed", required = true, paramLabel = "HOST:PORT", description = "control plane of the near JVM")
  private String seed;

  @Option(names = "--driver", required = true, paramLabel = "DIR", description = "directory of the media driver")
  private Path driver;

  @Option(names = "--parent", required = true, paramLabel = "PID", description = "ends when this process ends")
  private long parent;

  @Option(names = "--mtu", paramLabel = "BYTES", description = "path MTU")
  private Integer mtu;

  @Option(names = "--nic-tripwires", paramLabel = "N", description = "attach a NIC with so many Tripwires, for 'weft tripwire'")
  private Integer nicTripwires;

  @Override
  public Integer call() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    AtomicReference<String> failure = new AtomicReference<>();
    EndOfProcess.endOnSignal(ended::countDown);
    EndOfProcess.endWith(parent);
    Map<String, Object> overrides = new LinkedHashMap<>();
    if (mtu != null) {
      overrides.put("weft.hca.path-mtu-max", mtu);
    }
    if (nicTripwires != null) {
      overrides.put("weft.tripwire.tripwires-max", nicTripwires);
    }
    Config config = ConfigFactory.parseMap(overrides).withFallback(ConfigFactory.load());
    ClusterFabric.Place place = new ClusterFabric.Place("127.0.0.1", 0, List.of(seed), List.of("perftest"),
        MediaDriverSettings.of(config).withDirectory(driver), NodeLink.DIRECT, reason -> {
          failure.set(reason);
          ended.countDown();
        });
    try (ClusterFabric fabric = ClusterFabric.start(place, config)) {
      Node far = fabric.addNode(TwoJvmPerfFabric.FAR);
      PingPongService pingPong = PingPongService.offer(far);
      NetVmService netVm = NetVmService.offer(far, driver.toAbsolutePath().getParent());
      TripwireService tripwires = nicTripwires == null ? null : TripwireService.offer(Nic.start(fabric, far));
      ParkService parking = ParkService.offer(fabric, far);
      // Last, because who waits for this JVM asks for this one.
      PerfService service = PerfService.offer(far, fabric.dispatcher(), fabric::trunkBytesCopied);
      ended.await();
      service.close();
      parking.close();
      if (tripwires != null) {
        tripwires.close();
      }
      pingPong.close();
      netVm.close();
    } finally {
      EndOfProcess.done();
    }
    if (failure.get() != null) {
      throw new CommandFailure(failure.get());
    }
    return ExitCode.OK;
  }
}
