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
 * The cables of a JVM that can be captured while they are in use, by one capture at a time. While there is none, a message costs them the
 * look at a field that only the hardware thread writes.
 *
 * <p>A queue's memory is never freed by hand, because a thread that were still in it would end the JVM. It is left to the garbage collector,
 * which does not hurry for direct memory; until then the next capture takes the same, so that many short ones need no more than one.
 */
public final class CaptureHub {
  private final AtomicBoolean busy = new AtomicBoolean();
  /** Null while nobody captures. */
  private volatile LiveCapture begun;
  /** Null while nobody captures. Hardware thread. */
  private LiveCapture live;
  /** Of the last queue. Whoever has made it busy. */
  private WeakReference<ByteBuffer> memory = new WeakReference<>(null);

  /** A cable on which a node of this JVM transmits. */
  public Cable fromNode(Cable cable) {
    return new Tapped(cable, this, true);
  }

  /** A cable on which a node of this JVM is transmitted to. */
  public Cable toNode(Cable cable) {
    return new Tapped(cable, this, false);
  }

  /**
   * Begins a capture. Any thread.
   *
   * @param queueBytes see {@link CaptureSettings#queueBytes}
   * @param epochNs nanoseconds from 1970 to the zero of the clock
   * @param sentOnly whether packets that arrive from other JVMs are left out
   * @param hardware runs what it is given on the hardware thread, in that order
   * @return null while there is another one
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
   * Ends a capture, after which another one can begin; without effect if it has ended. Any thread.
   *
   * @param capture nobody takes anything out of it any more
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

  /** Whether somebody captures. Any thread. */
  public boolean isBusy() {
    return busy.get();
  }

  /**
   * Asks whoever reads the present capture to come to an end. Any thread.
   *
   * @return completed, on the hardware thread, when the capture has ended; at once if there is none
   */
  public CompletionStage<Void> finish() {
    LiveCapture capture = begun;
    if (capture == null) {
      return CompletableFuture.completedFuture(null);
    }
    capture.finish();
    return capture.ended();
  }

  /** The packet is shown before it goes on, because the far end may release its payload at once. */
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
