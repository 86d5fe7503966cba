package dev.weft.launcher.perftest;

import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.launcher.tripwire.TripwireService;
import dev.weft.service.process.FarJvm;
import dev.weft.tripwire.Nic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft perftest-peer}: the far JVM of {@code perftest --jvms 2} and of {@code tripwire --jvms 2}; ends with its parent. Not for people. */
@Command(name = "perftest-peer", hidden = true, description = "The far JVM of a perftest; started by 'weft perftest --jvms 2'.")
public final class PerftestPeerCommand implements Callable<Integer> {
  @Mixin private FarJvm jvm;

  @Option(names = "--nic-tripwires", paramLabel = "N", description = "attach a NIC with so many Tripwires, for 'weft tripwire'")
  private Integer nicTripwires;

  @Override
  public Integer call() throws Exception {
    return jvm.run(nicTripwires == null ? Map.of() : Map.of("weft.tripwire.tripwires-max", nicTripwires), (fabric, far, directory) -> offers(fabric, far));
  }

  private List<AutoCloseable> offers(ClusterFabric fabric, Node far) {
    List<AutoCloseable> offers = new ArrayList<>();
    if (nicTripwires != null) {
      offers.add(TripwireService.offer(Nic.start(fabric, far)));
    }
    offers.add(ParkService.offer(fabric, far));
    offers.add(PerfService.offer(far, fabric.dispatcher(), fabric::trunkBytesCopied));
    return offers;
  }
}
