package dev.weft.pager.server;

import dev.weft.pager.wire.PagerRequest;

/** One request at work. Reused. */
final class ServerOp {
  static final int NO_SLOT = -1;

  /** What is to be done next. */
  enum Stage {
    /** Data has to be moved. */
    TRANSFER,
    /** The RDMA Read is on its way; its completion goes on. */
    READING,
    /** The data is being copied into the store. */
    COPYING,
    /** The answer has to be sent. */
    REPLY
  }

  final ClientArea client;
  final int index;
  final PagerRequest request = new PagerRequest();
  Stage stage;
  int status;
  int stagingSlot = NO_SLOT;

  ServerOp(ClientArea client, int index) {
    this.client = client;
    this.index = index;
  }
}
