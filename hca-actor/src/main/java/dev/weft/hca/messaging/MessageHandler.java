package dev.weft.hca.messaging;

import dev.weft.hca.WcStatus;
import java.lang.foreign.MemorySegment;

/**
 * The one handler of all channels of an endpoint. Called from {@link MessageEndpoint#service}, on its thread, one event at
 * a time; it may reserve and send, and close channels, but not call {@code service}.
 */
public interface MessageHandler {
  /**
   * A message of {@code length} bytes lies in {@code buffer} from {@code offset}. The buffer is lent for this call only:
   * it is posted again as soon as the call returns.
   */
  void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length);

  /** A request that was posted with {@code token} is over, well or badly. */
  void onCompleted(MessageChannel channel, long token, WcStatus status);

  /** Room came back on a channel that had refused a reservation or a transfer for want of it. */
  void onSendRoom(MessageChannel channel);

  /** First error completion of a channel: its queue pair is in ERR and will carry nothing more. Called once. */
  void onFailed(MessageChannel channel, WcStatus status, int vendorErr);
}
