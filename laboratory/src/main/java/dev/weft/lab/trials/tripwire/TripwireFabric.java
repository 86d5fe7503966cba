package dev.weft.lab.trials.tripwire;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.service.process.TwoJvms;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Nic;
import java.util.List;
import java.util.Map;

/** Two NICs to measure between. The far one offers {@link TripwireService} and may be in another JVM. */
final class TripwireFabric implements AutoCloseable {
  private static final String FAR = TwoJvms.FAR;

  private final Nic near;
  private final HardwareDispatcher dispatcher;
  private final int jvms;
  private final AutoCloseable fabric;

  private TripwireFabric(DeviceHost host, Node node, HardwareDispatcher dispatcher, int jvms, AutoCloseable fabric) {
    this.dispatcher = dispatcher;
    this.jvms = jvms;
    this.fabric = fabric;
    near = NicDevice.start(host, node);
  }

  /** @param tripwires number of Tripwires that the far NIC must have room for */
  static TripwireFabric start(int jvms, int tripwires) {
    if (jvms == 1) {
      LocalFabric local = LocalFabric.start(ConfigFactory.parseMap(settings(tripwires)));
      Node node = local.addNode("near");
      TripwireService service = TripwireService.offer(NicDevice.start(local, local.addNode(FAR)));
      return new TripwireFabric(local, node, local.dispatcher(), jvms, () -> {
        service.close();
        local.close();
      });
    }
    TwoJvms two = new TwoJvms(TripwirePeerCommand.NAME, ConfigFactory.empty(), List.of("--tripwires=" + tripwires));
    try {
      return new TripwireFabric(two.host(), two.near(), two.dispatcher(), jvms, two);
    } catch (RuntimeException | Error e) {
      two.close();
      throw e;
    }
  }

  /** Settings of the far NIC. */
  static Map<String, Object> settings(int tripwires) {
    return Map.of("weft.tripwire.tripwires-max", tripwires);
  }

  Nic near() {
    return near;
  }

  String farName() {
    return FAR;
  }

  HardwareDispatcher dispatcher() {
    return dispatcher;
  }

  int jvms() {
    return jvms;
  }

  @Override
  public void close() {
    try {
      fabric.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
