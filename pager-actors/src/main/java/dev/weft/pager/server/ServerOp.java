package dev.weft.pager.server;

import dev.weft.pager.wire.PagerRequest;

/** One request in progress. Reused. */
final class ServerOp {
  static final int NO_SLOT = -1;

  /** The current stage of a request. */
  enum Stage {
    /** The data must be transferred. */
    TRANSFER,
    /** The RDMA Read is in progress; its completion continues the request. */
    READING,
    /** The data is being copied into the store. */
    COPYING,
    /** The reply must be sent. */
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
