package dev.weft.hca.verbs;

import dev.weft.fabric.packet.Opcode;
import java.util.EnumSet;
import java.util.Set;

/** The transport service of a queue pair, as {@code ibv_qp_type}. */
public enum QpType {
  /** Reliable connection: all operations, acknowledged, in order, once. */
  RC(Opcode.SERVICE_RC, EnumSet.allOf(WrOpcode.class)),
  /** Unreliable connection: sends and writes, in order, each completely or not at all; losses are not reported. */
  UC(Opcode.SERVICE_UC,
      EnumSet.of(WrOpcode.SEND, WrOpcode.SEND_WITH_IMM, WrOpcode.RDMA_WRITE, WrOpcode.RDMA_WRITE_WITH_IMM)),
  /** Unreliable datagram: sends of one packet to any queue pair or multicast group. */
  UD(Opcode.SERVICE_UD, EnumSet.of(WrOpcode.SEND, WrOpcode.SEND_WITH_IMM));

  private final int service;
  private final Set<WrOpcode> operations;

  QpType(int service, Set<WrOpcode> operations) {
    this.service = service;
    this.operations = operations;
  }

  /** The {@link Opcode#service} of its packets. */
  public int service() {
    return service;
  }

  public boolean carries(WrOpcode opcode) {
    return operations.contains(opcode);
  }
}
