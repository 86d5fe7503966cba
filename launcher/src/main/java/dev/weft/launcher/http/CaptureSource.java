package dev.weft.launcher.http;

import akka.stream.Attributes;
import akka.stream.Outlet;
import akka.stream.SourceShape;
import akka.stream.stage.AbstractOutHandler;
import akka.stream.stage.GraphStage;
import akka.stream.stage.GraphStageLogic;
import akka.stream.stage.TimerGraphStageLogic;
import akka.util.ByteString;
import dev.weft.fabric.capture.LiveCapture;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The blocks of a capture, as fast as the client reads them. It polls the queue when the client wants blocks, and every {@code LOOK_INTERVAL}
 * while there are none, so that the hardware thread does not have to wake it. Statistics between the packets show that the capture goes on,
 * keep the connection from being idle, and detect that it is broken.
 */
final class CaptureSource extends GraphStage<SourceShape<ByteString>> {
  private static final Duration LOOK_INTERVAL = Duration.ofMillis(20);
  private static final long STATISTICS_INTERVAL_NS = 100_000_000;
  /** Bytes passed on at a time. */
  private static final int ENOUGH_BYTES = 256 << 10;

  private final Outlet<ByteString> out = Outlet.create("blocks");
  private final LiveCapture capture;
  private final byte[] preamble;
  private final Runnable end;
  private final AtomicBoolean begun = new AtomicBoolean();

  /**
   * Makes the source of a capture that has begun.
   *
   * @param end ends the capture
   */
  CaptureSource(LiveCapture capture, byte[] preamble, Runnable end) {
    this.capture = capture;
    this.preamble = preamble;
    this.end = end;
  }

  /** Ends the capture if the client has not begun to read it. The client cannot begin afterwards. */
  void endUnlessBegun() {
    if (begun.compareAndSet(false, true)) {
      end.run();
    }
  }

  @Override
  public SourceShape<ByteString> shape() {
    return SourceShape.of(out);
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic();
  }

  private final class Logic extends TimerGraphStageLogic {
    private boolean preambleSent;
    private boolean mine;
    private long statisticsNs;

    Logic() {
      super(CaptureSource.this.shape());
      setHandler(out, new AbstractOutHandler() {
        @Override
        public void onPull() {
          pushNext();
        }
      });
    }

    @Override
    public void preStart() {
      mine = begun.compareAndSet(false, true);
      if (mine) {
        scheduleAtFixedRate(CaptureSource.class, LOOK_INTERVAL, LOOK_INTERVAL);
      } else {
        failStage(new IllegalStateException("the client asked for a capture and began to read it too late"));
      }
    }

    @Override
    public void onTimer(Object timer) {
      if (isAvailable(out)) {
        pushNext();
      }
    }

    @Override
    public void postStop() {
      if (mine) {
        end.run();
      }
    }

    private void pushNext() {
      if (!preambleSent) {
        preambleSent = true;
        push(out, ByteString.fromArray(preamble));
        return;
      }
      boolean last = capture.isFinished();
      byte[] blocks = capture.take(ENOUGH_BYTES);
      if (blocks.length == 0 && last) {
        push(out, ByteString.fromArray(capture.statistics()));
        complete(out);
      } else if (System.nanoTime() - statisticsNs >= STATISTICS_INTERVAL_NS) {
        statisticsNs = System.nanoTime();
        push(out, ByteString.fromArray(blocks).concat(ByteString.fromArray(capture.statistics())));
      } else if (blocks.length > 0) {
        push(out, ByteString.fromArray(blocks));
      }
    }
  }
}
