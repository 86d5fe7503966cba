package dev.weft.tripwire;

import dev.weft.fabric.time.AppThread;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A port of this host (CLAN, section 3.1): out-of-band messages of {@link #MESSAGE_LENGTH} bytes, for connection set-up, tear-down and exceptional
 * conditions, and a queue of DMA requests. Messages arrive in a queue in the application's memory; one thread at a time takes them, without a call to
 * the driver.
 */
public final class Endpoint extends EventSource {
  /** Size of an out-of-band message in bytes. */
  public static final int MESSAGE_LENGTH = 40;

  /**
   * An out-of-band message, or the refusal of one.
   *
   * @param fromLid LID of the other host's NIC
   * @param fromPort port of the other endpoint
   * @param bytes content; empty if {@code status} is not OK
   * @param status OK, or why a message of this endpoint to that one was refused
   */
  public record Message(int fromLid, int fromPort, byte[] bytes, Status status) {}

  private final Driver nic;
  final DmaQueue dma;
  private final AtomicReferenceArray<Message> ring;
  private volatile long head;
  private volatile long tail;
  private volatile Runnable listener;
  int port;
  volatile boolean open;

  Endpoint(Driver nic, int messagesMax, int dmaRequestsMax) {
    this.nic = nic;
    dma = new DmaQueue(nic, dmaRequestsMax);
    ring = new AtomicReferenceArray<>(messagesMax);
  }

  /** Opens the endpoint, also again after it was in the cache. Hardware thread. */
  void open(int newPort) {
    port = newPort;
    while (poll() != null) {
      continue; // Left by its former owner.
    }
    listener = null;
    queue = null;
    dma.queue = null;
    dma.onDone(null);
    dma.onSent(null);
    open = true;
  }

  public int port() {
    return port;
  }

  /** Its DMA requests. */
  public DmaQueue dma() {
    return dma;
  }

  /** Calls {@code newListener} on the hardware thread after each message; null removes the listener. */
  public void onMessage(Runnable newListener) {
    listener = newListener;
  }

  /**
   * Sends a message. Only a refusal is reported.
   *
   * @param toLid see {@link Nic#lidOf}
   * @param bytes 1 to {@link #MESSAGE_LENGTH}; the rest is zero
   * @return false if the NIC has no room now
   */
  public boolean send(int toLid, int toPort, byte[] bytes) {
    if (!open || bytes.length > MESSAGE_LENGTH || toPort < 1 || toPort > 65_535) {
      throw new NicException(Status.INVALID, "a message of " + bytes.length + " bytes to port " + toPort + " from " + this
          + ", want at most " + MESSAGE_LENGTH + " bytes, a port from 1 to 65535 and an open endpoint");
    }
    byte[] padded = java.util.Arrays.copyOf(bytes, MESSAGE_LENGTH);
    return nic.control(() -> nic.core().sendMessage(this, toLid, toPort, padded));
  }

  /** The oldest message, or null. */
  public Message poll() {
    long at = head;
    if (at == tail) {
      return null;
    }
    int slot = (int) (at % ring.length());
    Message message = ring.get(slot);
    ring.set(slot, null);
    head = at + 1;
    return message;
  }

  /** Waits for a message in virtual time. Replaces the listener of {@link #onMessage}. */
  public Message await(AppThread thread) {
    onMessage(thread::unpark);
    Message message = poll();
    while (message == null) {
      thread.park();
      message = poll();
    }
    return message;
  }

  int waiting() {
    return (int) (tail - head);
  }

  /** A message has arrived; returns false if there is no room. Hardware thread. */
  boolean deliver(Message message) {
    long at = tail;
    if (at - head == ring.length()) {
      return false;
    }
    ring.set((int) (at % ring.length()), message);
    tail = at + 1;
    nic.run(dev.weft.hca.verbs.ReceiveContext.ISR, () -> {
      post(1);
      Runnable to = listener;
      if (to != null) {
        Driver.tell(to, "listener", this);
      }
    });
    return true;
  }

  /** Closes the endpoint; queued DMA requests are still sent. */
  public void close() {
    nic.giveBack(() -> nic.core().closeEndpoint(this));
  }

  @Override
  public String describe() {
    return "endpoint " + port;
  }

  @Override
  public String toString() {
    return "Endpoint[" + nic.name() + ":" + port + (open ? "" : " closed") + "]";
  }
}
