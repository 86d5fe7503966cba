package dev.weft.hca.messaging;

import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * One connection to a peer, for messages: reserve a send buffer, fill it, send it. What a {@link MessageHandler} is told of it is the same whatever carries
 * the messages. Used on the thread of its owner only.
 */
public interface MessageChannel {
  /** Answer of {@link #reserve} when no send buffer is free. */
  int NO_BUFFER = SendRing.NONE;

  /** Whatever the protocol wants to find again when it is called back. */
  Object attachment();

  void attach(Object value);

  /** Longest message that can be sent. */
  int messageBytes();

  /** Whether {@link #transfer} and {@link #writeWith} can be used; without, they throw UnsupportedOperationException. */
  boolean hasRdma();

  /**
   * Reserves a send buffer: its number, or {@link #NO_BUFFER} when none is free; then {@link MessageHandler#onSendRoom} is
   * called when one is. A reserved buffer must be sent or cancelled.
   */
  int reserve();

  /** Memory in which the send buffers lie; buffer {@code n} is {@link #messageBytes} from {@link #offset offset(n)}. */
  MemorySegment buffers();

  long offset(int slot);

  /** Gives back a reserved buffer unsent. */
  void cancel(int slot);

  /**
   * Sends the first {@code length} bytes of a reserved buffer, which now belongs to the channel again. Returns false, with
   * nothing sent, if the channel has failed.
   */
  boolean send(int slot, int length, boolean solicited);

  /** As {@link #send}, and {@link MessageHandler#onCompleted} gets {@code token} when it is over. */
  boolean sendNotified(int slot, int length, boolean solicited, long token);

  /**
   * Writes the first {@code length} bytes of a reserved buffer, and behind them what {@code data} has, to memory of the peer in one solicited RDMA Write
   * with immediate. It takes one of the peer's receive buffers and comes in order with the messages; {@link MessageHandler#onImmediate} there. The buffer
   * belongs to the channel again. What {@code data} has is not copied: it must stay as it is until the peer is known to have it.
   *
   * @param data adds scatter/gather elements to the request that it gets, 3 at most
   * @param wantsNotice whether {@link MessageHandler#onCompleted} gets {@code token} when it is over
   * @return false, with nothing sent, if the channel has failed
   */
  boolean writeWith(int slot, int length, Consumer<WorkRequest> data, long remoteAddress, int remoteKey, int immediate, boolean wantsNotice, long token);

  /**
   * Posts an RDMA request in order with the messages. With {@code wantsNotice}, {@link MessageHandler#onCompleted} gets
   * {@code token} when it is over; without, an error shows as the failure of the channel. Returns false, with nothing
   * posted, when the send queue is full ({@link MessageHandler#onSendRoom} follows) or the channel has failed.
   */
  boolean transfer(WorkRequest request, boolean wantsNotice, long token);

  /** Requests that {@link #transfer} would take now. */
  int transferRoom();

  /** Requests that are known to be over since the channel was made: it grows as long as the peer takes what is sent to it. */
  long completed();

  /** False after the first error or {@link #close}. */
  boolean isOpen();

  /** Ends it and frees the buffers. Nothing is called back for this channel any more. Idempotent. */
  void close();
}
