package dev.weft.hca.messaging;

import dev.weft.hca.verbs.WcStatus;
import java.lang.foreign.MemorySegment;

/**
 * The handler of all channels of an endpoint. {@link MessageEndpoint#service} calls it on its thread, one event at a time. The handler may reserve,
 * send and close channels, but must not call {@code service}.
 */
public interface MessageHandler {
  /**
   * Handles a message of {@code length} bytes in {@code buffer} from {@code offset}. The buffer is valid only during this call: the endpoint
   * posts it again when the call returns.
   */
  void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length);

  /**
   * Handles a message in an interrupt service routine (context ISR), where nothing may block. Returns false if it cannot finish there, for example
   * because a lock is held; then it must not have changed anything. {@link #onMessage} then gets the same message in process context, before any
   * other event of the endpoint (Kernel DSM section 3.2, two-stage handling). The default calls {@code onMessage}.
   */
  default boolean tryMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {
    onMessage(channel, buffer, offset, length);
    return true;
  }

  /**
   * Handles {@code length} bytes that the peer has written by RDMA Write with immediate ({@link MessageChannel#writeWith}). The write has used a receive
   * buffer, as a message does. The protocol defines the location of the bytes; usually {@code immediate} identifies it. The default rejects the write.
   *
   * @return false if the protocol did not expect the write; then the channel fails
   */
  default boolean onImmediate(MessageChannel channel, int immediate, int length) {
    return false;
  }

  /** Reports that a request posted with {@code token} has completed, with success or an error. */
  void onCompleted(MessageChannel channel, long token, WcStatus status);

  /** Reports that a channel has room again, after it rejected a reservation or a transfer for lack of room. */
  void onSendRoom(MessageChannel channel);

  /** Reports the first error completion of a channel. Its queue pair is in ERR and carries no more messages. Called once. */
  void onFailed(MessageChannel channel, WcStatus status, int vendorErr);
}
