package dev.weft.lab.trials.tripwire;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;

/**
 * As many writes in flight as the depth allows, by stores or DMA. At intervals the far side acknowledges the writes that its Tripwires have reported.
 * After set-up everything runs on the hardware thread.
 */
final class Stream extends TripwireDrive {
  private static final long PEAK_NS = 1_000_000;

  private final Tripwire acknowledged;
  private final boolean dma;
  /** Number of writes since the session began. */
  private long sent;
  private long told;
  private long passStart;
  /** Number of writes to send, known when there are enough: a multiple of the acknowledgement interval. */
  private long last;
  private long windowNs;
  private long windowTold;
  private double peak;
  /** Whether acknowledgements belong to the running pass; the end of the last pass may be acknowledged twice. */
  private boolean isUnderWay;

  Stream(TripwireParameters p, NearTripwires session, TripwireFabric fabric) {
    super(p, session, fabric);
    dma = p.test() == TripwireTest.BANDWIDTH;
    acknowledged = session.nic.tripwire().set(session.own, Watch.WRITE, NearTripwires.ACKNOWLEDGED, Long.BYTES, false);
    acknowledged.onFired((wire, firings) -> onAcknowledged(), ReceiveContext.ISR);
    session.nic.onRoom(this::fill);
    acknowledged.arm();
  }

  @Override
  void run() {
    fabric.dispatcher().execute(() -> {
      passStart = sent;
      last = Long.MAX_VALUE;
      peak = 0;
      isUnderWay = true;
      windowNs = startNs;
      windowTold = told;
      fill();
    });
  }

  /** Sends nothing once the mapping has failed, which {@link #pass} reports. */
  private void fill() {
    while (session.far().status() == Status.OK && sent < last && sent - told < p.depth() && write()) {
      sent++;
      if (sent % p.ackEvery() == 0 && isEnough(sent - passStart, System.nanoTime())) {
        last = sent;
      }
    }
  }

  private boolean write() {
    long place = p.placeOf(sent);
    return dma ? session.endpoint().dma().write(session.far(), place, session.source, 0, p.sizeBytes(), sent)
        : session.far().write(place, session.source, 0, p.sizeBytes());
  }

  private void onAcknowledged() {
    long nowNs = System.nanoTime();
    told = session.acknowledged();
    if (!isUnderWay) {
      return;
    }
    done = told - passStart;
    if (nowNs - windowNs >= PEAK_NS) {
      peak = Math.max(peak, (told - windowTold) * 1e9 / (nowNs - windowNs));
      windowNs = nowNs;
      windowTold = told;
    }
    if (told >= last) {
      isUnderWay = false;
      finish(nowNs);
    } else {
      fill();
    }
  }

  @Override
  double peakPerSecond() {
    return peak;
  }

  @Override
  void close() {
    session.nic.onRoom(null);
    acknowledged.close();
  }
}
