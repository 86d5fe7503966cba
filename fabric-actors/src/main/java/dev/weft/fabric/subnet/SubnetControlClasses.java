package dev.weft.fabric.subnet;

import dev.weft.fabric.cluster.ControlClasses;
import dev.weft.fabric.cluster.ControlRegistry;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.trunk.TrunkAddress;

/** Registers the classes of the messages between agents and the subnet manager. */
public final class SubnetControlClasses implements ControlClasses {
  @Override
  public void register(ControlRegistry registry) {
    registry
        .add(100, NodeEntry.class)
        .add(101, JvmEntry.class)
        .add(102, NodeClaim.class)
        .add(103, NodeRefusal.class)
        .add(104, FabricView.class)
        .add(105, SubnetMap.Seen.class)
        .add(106, SubnetManagerActor.RegisterJvm.class)
        .add(107, FabricAgent.Registered.class)
        .add(108, FabricAgent.ViewChanged.class)
        .add(109, TrunkAddress.class)
        .add(110, GroupClaim.class)
        .add(111, GroupEntry.class)
        .add(112, Advert.class)
        .add(113, Advert.Attribute.class)
        .add(114, AdvertRefusal.class);
  }
}
