package dev.weft.tripwire.via;

import dev.weft.tripwire.connect.Callee;

/** A request for a connection. The application must accept or reject it. */
public final class ConnectionRequest {
  final Callee callee;
  final long deadlineNs;
  ViWire.Block block;
  private final ViaEngine engine;
  /** Hardware thread. */
  boolean isAnswered;

  ConnectionRequest(ViaEngine engine, Callee callee, long deadlineNs) {
    this.engine = engine;
    this.callee = callee;
    this.deadlineNs = deadlineNs;
  }

  /** The longest message of the other VI. */
  public int maxTransferBytes() {
    return block.maxTransferBytes();
  }

  /**
   * Connects an idle VI (VipConnectAccept).
   *
   * @throws ViaException INVALID_STATE; INVALID_MTU if the VIs do not agree, and the request then stays open
   */
  public void accept(Vi vi) {
    engine.control(() -> {
      needOpen();
      vi.accept(callee, block);
      isAnswered = true;
    });
  }

  /** Rejects the request (VipConnectReject). */
  public void reject() {
    engine.control(() -> {
      needOpen();
      engine.reject(this, ViaEngine.REASON_REJECT);
    });
  }

  private void needOpen() {
    if (isAnswered) {
      throw new ViaException(ViaResult.INVALID_STATE, "the request was answered before, or its time was over");
    }
  }
}
