package dev.weft.lab.trials.tripwire;

import dev.weft.service.CommandFailure;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * The client of the event server (CLAN, section 5.3): sends requests on random connections, {@code depth} different ones at a time, and spins for the
 * replies. Its thread runs the hardware meanwhile.
 */
final class Requests extends TripwireDrive {
  private static final long REPLY_NS = 20_000_000_000L;
  private static final long SEED = 20_011_121;

  private final Tripwire replied;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final long[] places;
  private long number;

  Requests(TripwireParameters p, NearTripwires session, TripwireFabric fabric) {
    super(p, session, fabric);
    places = new long[p.depth()];
    replied = session.nic.tripwire().set(session.own, Watch.WRITE, NearTripwires.PLACES, p.placesBytes(), false);
    replied.arm();
  }

  @Override
  void run() {
    long nowNs = startNs;
    while (!finished) {
      long before = replied.counted();
      long sentNs = nowNs;
      int first = random.nextInt(p.endpoints());
      for (int i = 0; i < places.length; i++) {
        places[i] = p.placeOf(first + i);
        mark(++number);
        session.far().write(places[i], session.source, 0, p.sizeBytes());
      }
      if (!fabric.dispatcher().help(() -> replied.counted() - before >= places.length, REPLY_NS)) {
        throw new CommandFailure("request " + number + " was not answered within " + REPLY_NS / 1_000_000_000 + " s; mapping "
            + session.far().status());
      }
      nowNs = System.nanoTime();
      for (int i = 0; i < places.length; i++) {
        check(places[i], number - places.length + 1 + i);
        record(nowNs - sentNs);
      }
      if (isEnough(done, nowNs)) {
        finish(nowNs);
      }
      nowNs = pause(nowNs);
    }
  }

  private long pause(long nowNs) {
    if (p.gapNs() == 0) {
      return nowNs;
    }
    LockSupport.parkNanos(p.gapNs());
    return System.nanoTime();
  }

  @Override
  void close() {
    replied.close();
  }
}
