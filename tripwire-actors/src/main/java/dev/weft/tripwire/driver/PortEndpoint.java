package dev.weft.tripwire.driver;

import dev.weft.fabric.time.AppThread;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** An endpoint with its queues. */
public final class PortEndpoint extends Source implements Endpoint {
  private final Driver nic;
  final DmaRing dma;
  private final AtomicReferenceArray<Message> ring;
  private volatile long head;
  private volatile long tail;
  private volatile Runnable listener;
  int port;
  volatile boolean open;

  PortEndpoint(Driver nic, int messagesMax, int dmaRequestsMax) {
    this.nic = nic;
    dma = new DmaRing(nic, dmaRequestsMax);
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

  @Override
  public int port() {
    return port;
  }

  @Override
  public DmaRing dma() {
    return dma;
  }

  @Override
  public void onMessage(Runnable newListener) {
    listener = newListener;
  }

  @Override
  public boolean send(int toLid, int toPort, byte[] bytes) {
    if (!open || bytes.length > MESSAGE_LENGTH || toPort < 1 || toPort > 65_535) {
      throw new NicException(Status.INVALID, "a message of " + bytes.length + " bytes to port " + toPort + " from " + this
          + ", want at most " + MESSAGE_LENGTH + " bytes, a port from 1 to 65535 and an open endpoint");
    }
    byte[] padded = java.util.Arrays.copyOf(bytes, MESSAGE_LENGTH);
    return nic.control(() -> nic.core().sendMessage(this, toLid, toPort, padded));
  }

  @Override
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

  @Override
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
  public boolean deliver(Message message) {
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

  @Override
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
