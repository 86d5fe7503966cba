package dev.weft.hca.cm;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A node with what a consumer needs, on a fabric whose connection managers wait for two seconds and keep four connections. */
class CmEnd {
  final Node node;
  final ProtectionDomain pd;
  final CompletionQueue cq;
  final MemorySegment memory = Arena.ofAuto().allocate(8192, 64);
  final MemoryRegion mr;

  CmEnd(Node node, int access) {
    this.node = node;
    pd = node.hca().allocPd();
    cq = node.hca().createCq(64, ReceiveContext.POLLING, null);
    mr = node.hca().regMr(pd, memory, access);
  }

  static VirtualFabric fabric() {
    return new VirtualFabric(1, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE,
        ConfigFactory.parseString("weft.hca.cm { connect-timeout = 2s, connections-max = 4 }"));
  }

  QueuePair qp(QpType type) {
    return node.hca().createQp(pd, QpInitAttr.of(cq, 16).withType(type));
  }
}
