package dev.weft.hca.messaging;

import dev.weft.hca.verbs.WcStatus;
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

  /**
   * The same in an interrupt service routine (context ISR), where nothing may block: false if it cannot be finished there, for example
   * because a lock is taken; nothing may have been done then. The same message is given to {@link #onMessage} in process context,
   * before any other event of the endpoint (seed 000 section 3.2, two-stage handling). By default it is {@code onMessage}.
   */
  default boolean tryMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {
    onMessage(channel, buffer, offset, length);
    return true;
  }

  /**
   * The peer has written {@code length} bytes by RDMA Write with immediate ({@link MessageChannel#writeWith}), which took a receive buffer as a message
   * does. Where they are is between the two; {@code immediate} usually says it. Nobody who does not expect that may be made to: the channel fails.
   *
   * @return false if it was not expected
   */
  default boolean onImmediate(MessageChannel channel, int immediate, int length) {
    return false;
  }

  /** A request that was posted with {@code token} is over, well or badly. */
  void onCompleted(MessageChannel channel, long token, WcStatus status);

  /** Room came back on a channel that had refused a reservation or a transfer for want of it. */
  void onSendRoom(MessageChannel channel);

  /** First error completion of a channel: its queue pair is in ERR and will carry nothing more. Called once. */
  void onFailed(MessageChannel channel, WcStatus status, int vendorErr);
}
