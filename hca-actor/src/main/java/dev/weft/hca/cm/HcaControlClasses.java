package dev.weft.hca.cm;

import dev.weft.fabric.cluster.ControlClasses;
import dev.weft.fabric.cluster.ControlRegistry;
import dev.weft.hca.verbs.QpType;

/** The messages that connection managers send over the control plane. */
public final class HcaControlClasses implements ControlClasses {
  @Override
  public void register(ControlRegistry registry) {
    registry.add(200, CmMessage.Endpoint.class);
    registry.add(201, CmMessage.Req.class);
    registry.add(202, CmMessage.Rep.class);
    registry.add(203, CmMessage.Rej.class);
    registry.add(204, CmMessage.Rtu.class);
    registry.add(205, CmMessage.Dreq.class);
    registry.add(206, RejectReason.class);
    registry.add(207, DatagramAddress.class);
    registry.add(208, CmMessage.SidrReq.class);
    registry.add(209, CmMessage.SidrRep.class);
    registry.add(210, CmMessage.SidrRej.class);
    registry.add(211, QpType.class);
  }
}
