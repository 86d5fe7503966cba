package dev.weft.fabric.capture;

import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.time.Clock;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The cables of a JVM that can be captured while they are in use, by one capture at a time. Without a capture, a message only costs one read
 * of a field that only the hardware thread writes.
 *
 * <p>The memory of a queue is never freed explicitly, because a thread that still used it would crash the JVM. The garbage collector frees it,
 * but direct memory only late. Until then, the next capture reuses the memory, so that many short captures need only one queue.
 */
public final class CaptureHub {
  private final AtomicBoolean busy = new AtomicBoolean();
  /** The capture that has begun; null without one. */
  private volatile LiveCapture begun;
  /** The capture that gets packets; null without one. Hardware thread. */
  private LiveCapture live;
  /** The memory of the last queue. Only the thread that has set {@code busy} uses it. */
  private WeakReference<ByteBuffer> memory = new WeakReference<>(null);

  /** Returns a tapped cable for the transmissions of a node of this JVM. */
  public Cable fromNode(Cable cable) {
    return new Tapped(cable, this, true);
  }

  /** Returns a tapped cable for the transmissions to a node of this JVM. */
  public Cable toNode(Cable cable) {
    return new Tapped(cable, this, false);
  }

  /**
   * Begins a capture. Any thread.
   *
   * @param queueBytes see {@link CaptureSettings#queueBytes}
   * @param epochNs nanoseconds from 1970 to the zero of the clock
   * @param sentOnly whether packets that arrive from other JVMs are left out
   * @param hardware runs tasks on the hardware thread, in their order
   * @return the capture, or null if there is another one
   * @throws OutOfMemoryError if this JVM has no memory for the queue
   */
  public LiveCapture begin(int queueBytes, Clock clock, long epochNs, boolean sentOnly, Executor hardware) {
    if (!busy.compareAndSet(false, true)) {
      return null;
    }
    try {
      LiveCapture capture = new LiveCapture(cleared(LiveCapture.memoryBytes(queueBytes)), clock, epochNs, sentOnly);
      hardware.execute(() -> live = capture);
      begun = capture;
      return capture;
    } catch (OutOfMemoryError | RejectedExecutionException notBegun) {
      busy.set(false);
      throw notBegun;
    }
  }

  private ByteBuffer cleared(int length) {
    ByteBuffer last = memory.get();
    if (last != null && last.capacity() == length) {
      new UnsafeBuffer(last).setMemory(0, length, (byte) 0);
      return last;
    }
    ByteBuffer fresh = ByteBuffer.allocateDirect(length);
    memory = new WeakReference<>(fresh);
    return fresh;
  }

  /**
   * Ends a capture; then another one can begin. Has no effect if the capture has ended. Any thread.
   *
   * @param capture the capture; the caller must not take blocks from it any more
   */
  public void end(LiveCapture capture, Executor hardware) {
    if (begun == capture) {
      hardware.execute(() -> {
        if (live == capture) {
          live = null;
          begun = null;
          capture.end();
          busy.set(false);
        }
      });
    }
  }

  /** Whether there is a capture. Any thread. */
  public boolean isBusy() {
    return busy.get();
  }

  /**
   * Asks the reader of the present capture to end it. Any thread.
   *
   * @return a stage that completes on the hardware thread when the capture has ended; it is completed already if there is none
   */
  public CompletionStage<Void> finish() {
    LiveCapture capture = begun;
    if (capture == null) {
      return CompletableFuture.completedFuture(null);
    }
    capture.finish();
    return capture.ended();
  }

  /** A tapped cable. It shows a packet before it passes the packet on, because the far end may release the payload immediately. */
  private record Tapped(Cable cable, CaptureHub hub, boolean fromNode) implements Cable {
    @Override
    public void transmit(CableMessage message) {
      LiveCapture live = hub.live;
      if (live != null) {
        show(live, message);
      }
      cable.transmit(message);
    }

    private void show(LiveCapture live, CableMessage message) {
      if (message instanceof Packet packet) {
        if (fromNode) {
          live.onSent(packet);
        } else {
          live.onReceived(packet);
        }
      }
    }

    @Override
    public void whenRead(Runnable done) {
      cable.whenRead(done);
    }

    @Override
    public long freeAtNs() {
      return cable.freeAtNs();
    }
  }
}
