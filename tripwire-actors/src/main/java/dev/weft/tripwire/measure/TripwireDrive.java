package dev.weft.tripwire.measure;

import dev.weft.service.CommandFailure;
import dev.weft.service.measure.LatencyRecorder;
import dev.weft.tripwire.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Writes one way or another, pass after pass, and takes the time. {@link #pass} on an application thread. */
abstract class TripwireDrive {
  private static final long STALL_NS = TimeUnit.SECONDS.toNanos(20);

  final TripwireParameters p;
  final NearTripwires session;
  final TripwireFabric fabric;
  /** Null while warming up. */
  LatencyRecorder recorder;
  long startNs;
  long endNs;
  /** Writes of this pass that are over. */
  volatile long done;
  long wrong;
  volatile boolean finished;
  private long target;
  private long deadlineNs;

  TripwireDrive(TripwireParameters p, NearTripwires session, TripwireFabric fabric) {
    this.p = p;
    this.session = session;
    this.fabric = fabric;
  }

  /** Begins; what it does further on the hardware thread sets {@link #finished}, or it returns when all is over. */
  abstract void run();

  /** Gives back what it has. */
  void close() {}

  /** Best rate of a stream in writes per second, 0 if there is none. */
  double peakPerSecond() {
    return 0;
  }

  final void pass(long count, long durationNs, LatencyRecorder into) {
    recorder = into;
    done = 0;
    wrong = 0;
    finished = false;
    target = durationNs > 0 ? Long.MAX_VALUE : count;
    startNs = System.nanoTime();
    deadlineNs = durationNs > 0 ? startNs + durationNs : Long.MAX_VALUE;
    run();
    long seen = -1;
    long seenNs = System.nanoTime();
    while (!finished) {
      LockSupport.parkNanos(1_000_000);
      if (session.far().status() != Status.OK) {
        throw new CommandFailure("the mapping has failed after " + done + " writes were told: " + session.far().status() + ": "
            + session.far().cause());
      }
      if (done != seen) {
        seen = done;
        seenNs = System.nanoTime();
      } else if (System.nanoTime() - seenNs > STALL_NS) {
        throw new CommandFailure("no write was told for " + STALL_NS / 1_000_000_000 + " s after " + seen + ", and the mapping is OK");
      }
    }
  }

  /** Whether so many writes are all that this pass is to start. */
  final boolean isEnough(long writes, long nowNs) {
    return writes >= target || nowNs - deadlineNs >= 0 && deadlineNs != Long.MAX_VALUE;
  }

  /** One round trip is over. */
  final void record(long ns) {
    if (recorder != null) {
      recorder.record(ns);
    }
    done = done + 1;
  }

  final void finish(long nowNs) {
    endNs = nowNs;
    finished = true;
  }

  /** Puts a number into what is written next, at its end. */
  final void mark(long number) {
    if (p.sizeBytes() >= Long.BYTES) {
      session.source.set(ValueLayout.JAVA_LONG_UNALIGNED, p.sizeBytes() - Long.BYTES, number);
    }
  }

  /** Counts an answer that is not what was written. */
  final void check(long place, long number) {
    if (p.sizeBytes() >= Long.BYTES) {
      MemorySegment memory = session.memory;
      long at = NearTripwires.PLACES + place + p.sizeBytes() - Long.BYTES;
      wrong += memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at) == number ? 0 : 1;
    }
  }
}
