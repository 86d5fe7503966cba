package dev.weft.tripwire.nic;

import dev.weft.fabric.time.AppThread;

/**
 * A port of this host (CLAN, section 3.1): out-of-band messages of {@link #MESSAGE_LENGTH} bytes, for connection set-up, tear-down and exceptional
 * conditions, and a queue of DMA requests. Messages arrive in a queue in the application's memory; one thread at a time takes them, without a call to
 * the driver.
 */
public interface Endpoint extends EventSource {
  /** Size of an out-of-band message in bytes. */
  int MESSAGE_LENGTH = 40;

  /**
   * An out-of-band message, or the refusal of one.
   *
   * @param fromLid LID of the other host's NIC
   * @param fromPort port of the other endpoint
   * @param bytes content; empty if {@code status} is not OK
   * @param status OK, or why a message of this endpoint to that one was refused
   */
  record Message(int fromLid, int fromPort, byte[] bytes, Status status) {}

  int port();

  /** Its DMA requests. */
  DmaQueue dma();

  /** Calls {@code newListener} on the hardware thread after each message; null removes the listener. */
  void onMessage(Runnable newListener);

  /**
   * Sends a message. Only a refusal is reported.
   *
   * @param toLid see {@link Nic#lidOf}
   * @param bytes 1 to {@link #MESSAGE_LENGTH}; the rest is zero
   * @return false if the NIC has no room now
   */
  boolean send(int toLid, int toPort, byte[] bytes);

  /** The oldest message, or null. */
  Message poll();

  /** Waits for a message in virtual time. Replaces the listener of {@link #onMessage}. */
  Message await(AppThread thread);

  /** Closes the endpoint; queued DMA requests are still sent. */
  void close();
}
