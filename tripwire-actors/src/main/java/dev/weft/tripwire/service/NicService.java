package dev.weft.tripwire.service;

import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.node.Node;
import dev.weft.service.CommandFailure;
import dev.weft.service.Deployment;
import dev.weft.service.Part;
import dev.weft.service.Service;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import java.util.Optional;

/** Tripwires as a service: CLAN NICs in the nodes of a fabric, where requested. */
public final class NicService implements Service {
  /** Name of the service; {@link dev.weft.service.Host#equip} puts a NIC into a node. */
  public static final String NAME = "tripwire";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String version() {
    return "1";
  }

  @Override
  public void equip(DeviceHost host, Node node) {
    start(host, node);
  }

  static Nic start(DeviceHost host, Node node) {
    try {
      return NicDevice.start(host, node);
    } catch (NicException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  @Override
  public Optional<Deployment> deployment() {
    return Optional.of(new NicPart());
  }

  @Override
  public Optional<Part> member() {
    return Optional.of(new NicPart());
  }

  @Override
  public Optional<Part> joined() {
    return Optional.of(new NicPart());
  }
}
