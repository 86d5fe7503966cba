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

  /** Returns the completion that ends a round trip of a latency test; null if the near side polls its memory instead. */
  WcOpcode reply() {
    return reply;
  }

  boolean isAtomic() {
    return this == CAS || this == FADD;
  }

  /** Whether the far side's HCA answers without its application. */
  boolean isReadOrAtomic() {
    return this == READ || isAtomic();
  }

  /** Whether the operation consumes receives of the far side. */
  boolean needsReceives() {
    return this == SEND || this == WRITE_IMM;
  }
}
