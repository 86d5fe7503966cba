package dev.weft.tripwire.measure;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.Status;
import dev.weft.tripwire.Tripwire;
import dev.weft.tripwire.Watch;

/**
 * As many writes as the depth allows, stores or DMA; the far side says every few how many its Tripwires told. After set-up all on the
 * hardware thread.
 */
final class Stream extends TripwireDrive {
  private static final long PEAK_NS = 1_000_000;

  private final Tripwire acknowledged;
  private final boolean dma;
  /** Since the session began. */
  private long sent;
  private long told;
  private long passStart;
  /** Writes to be sent, known when enough are: a multiple of what is acknowledged at a time. */
  private long last;
  private long windowNs;
  private long windowTold;
  private double peak;
  /** Whether what is told is of the pass that is under way: the last pass may be told twice that it is over. */
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

  /** Nothing once the mapping has failed, which {@link #pass} tells. */
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
