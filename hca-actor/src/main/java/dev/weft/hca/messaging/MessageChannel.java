package dev.weft.hca.messaging;

import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * One connection to a peer, for messages: reserve a send buffer, fill it, send it. A {@link MessageHandler} receives the same calls for every
 * implementation. Used on the thread of its owner only.
 */
public interface MessageChannel {
  /** Result of {@link #reserve} when no send buffer is free. */
  int NO_BUFFER = SendRing.NONE;

  /** The protocol's own object for this channel. */
  Object attachment();

  void attach(Object value);

  /** The length of the longest message that can be sent. */
  int messageBytes();

  /** Whether the channel supports {@link #transfer} and {@link #writeWith}; otherwise they throw UnsupportedOperationException. */
  boolean hasRdma();

  /**
   * Reserves a send buffer and returns its number. Returns {@link #NO_BUFFER} if none is free; {@link MessageHandler#onSendRoom} is called when one
   * becomes free. The caller must send or cancel a reserved buffer.
   */
  int reserve();

  /** The memory of the send buffers; buffer {@code n} has {@link #messageBytes} bytes from {@link #offset offset(n)}. */
  MemorySegment buffers();

  long offset(int slot);

  /** Releases a reserved buffer without sending it. */
  void cancel(int slot);

  /**
   * Sends the first {@code length} bytes of a reserved buffer. The buffer then belongs to the channel again. Returns false, with
   * nothing sent, if the channel has failed.
   */
  boolean send(int slot, int length, boolean solicited);

  /** Like {@link #send}; in addition, {@link MessageHandler#onCompleted} receives {@code token} when the send has completed. */
  boolean sendNotified(int slot, int length, boolean solicited, long token);

  /**
   * Writes the first {@code length} bytes of a reserved buffer, followed by more data, to memory of the peer in one solicited RDMA Write with immediate.
   * The write uses one of the peer's receive buffers, arrives in order with the messages, and calls {@link MessageHandler#onImmediate} there. The
   * reserved buffer then belongs to the channel again. The additional data is not copied: it must not change until the peer is known to have it.
   *
   * @param data adds at most 3 scatter/gather elements to the request that it receives
   * @param wantsNotice whether {@link MessageHandler#onCompleted} receives {@code token} when the write has completed
   * @return false, with nothing sent, if the channel has failed
   */
  boolean writeWith(int slot, int length, Consumer<WorkRequest> data, long remoteAddress, int remoteKey, int immediate, boolean wantsNotice, long token);

  /**
   * Posts an RDMA request in order with the messages. With {@code wantsNotice}, {@link MessageHandler#onCompleted} receives
   * {@code token} when it has completed; without, an error appears only as the failure of the channel. Returns false, with nothing
   * posted, if the send queue is full ({@link MessageHandler#onSendRoom} follows) or the channel has failed.
   */
  boolean transfer(WorkRequest request, boolean wantsNotice, long token);

  /** The number of requests that {@link #transfer} would accept now. */
  int transferRoom();

  /** The number of requests that have completed since the channel was created. It grows as long as the peer receives what is sent to it. */
  long completed();

  /** Whether the channel is open; false after the first error or {@link #close}. */
  boolean isOpen();

  /** Closes the channel and frees its buffers. No handler is called for this channel any more. Idempotent. */
  void close();
}
