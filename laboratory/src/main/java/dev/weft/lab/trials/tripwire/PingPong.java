package dev.weft.lab.trials.tripwire;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.service.CommandFailure;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;

/** One write at a time, which the far side writes back. Both sides learn of a write by a Tripwire, in the same way. */
final class PingPong extends TripwireDrive {
  private static final long ANSWER_NS = 20_000_000_000L;

  private final Tripwire answered;
  private long number;
  private long sentNs;
  private boolean stalled;

  PingPong(TripwireParameters p, NearTripwires session, TripwireFabric fabric) {
    super(p, session, fabric);
    answered = session.nic.tripwire().set(session.own, Watch.WRITE, NearTripwires.PLACES, p.sizeBytes(), false);
    if (p.how() == TripwireWait.CALLBACK) {
      session.nic.onRoom(this::onRoom);
      answered.onFired((wire, firings) -> onAnswer(), ReceiveContext.ISR);
    }
    answered.arm();
  }

  @Override
  void run() {
    if (p.how() == TripwireWait.CALLBACK) {
      fabric.dispatcher().execute(() -> send(startNs));
      return;
    }
    long nowNs = startNs;
    while (!finished) {
      sentNs = nowNs;
      mark(++number);
      session.far().write(0, session.source, 0, p.sizeBytes());
      if (!answered.await(p.how() == TripwireWait.SPIN ? ANSWER_NS : 0, ANSWER_NS)) {
        throw new CommandFailure("write " + number + " was not answered within " + ANSWER_NS / 1_000_000_000 + " s; mapping "
            + session.far().status());
      }
      nowNs = System.nanoTime();
      over(nowNs);
    }
  }

  private void over(long nowNs) {
    check(0, number);
    record(nowNs - sentNs);
    if (isEnough(done, nowNs)) {
      finish(nowNs);
    }
  }

  // Hardware thread.

  private void onAnswer() {
    long nowNs = System.nanoTime();
    over(nowNs);
    if (!finished) {
      send(nowNs);
    }
  }

  private void send(long nowNs) {
    sentNs = nowNs;
    mark(++number);
    stalled = !session.far().write(0, session.source, 0, p.sizeBytes());
  }

  private void onRoom() {
    if (stalled) {
      stalled = !session.far().write(0, session.source, 0, p.sizeBytes());
    }
  }

  @Override
  void close() {
    session.nic.onRoom(null);
    answered.close();
  }
}
