package dev.weft.perftest;

import dev.weft.hca.verbs.WcOpcode;

/** The verb under test. */
enum PerfOperation {
  SEND("send", WcOpcode.RECV),
  WRITE("write", null),
  WRITE_IMM("write-imm", WcOpcode.RECV_RDMA_WITH_IMM),
  READ("read", WcOpcode.RDMA_READ),
  CAS("cas", WcOpcode.COMP_SWAP),
  FADD("fadd", WcOpcode.FETCH_ADD);

  private final String cliName;
  private final WcOpcode reply;

  PerfOperation(String cliName, WcOpcode reply) {
    this.cliName = cliName;
    this.reply = reply;
  }

  String cliName() {
    return cliName;
  }

  /** The completion that ends a round trip of a latency test; null where the near side looks at its memory. */
  WcOpcode reply() {
    return reply;
  }

  boolean isAtomic() {
    return this == CAS || this == FADD;
  }

  /** Whether the far side's HCA answers by itself. */
  boolean isReadOrAtomic() {
    return this == READ || isAtomic();
  }

  /** Whether the far side takes receives. */
  boolean needsReceives() {
    return this == SEND || this == WRITE_IMM;
  }
}
