package dev.weft.lab.trials.tripwire;

import dev.weft.service.CommandFailure;
import dev.weft.service.measure.LatencyRecorder;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Makes writes in one way or another, pass after pass, and measures the time. {@link #pass} runs on an application thread. */
abstract class TripwireDrive {
  private static final long STALL_NS = TimeUnit.SECONDS.toNanos(20);

  final TripwireParameters p;
  final NearTripwires session;
  final TripwireFabric fabric;
  /** Null during the warm-up. */
  LatencyRecorder recorder;
  long startNs;
  long endNs;
  /** Number of completed writes of this pass. */
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

  /** Begins a pass. Later steps on the hardware thread set {@link #finished}; or this returns when the pass is complete. */
  abstract void run();

  /** Frees its resources. */
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
        throw new CommandFailure("the mapping has failed after " + done + " writes were reported: " + session.far().status() + ": "
            + session.far().cause());
      }
      if (done != seen) {
        seen = done;
        seenNs = System.nanoTime();
      } else if (System.nanoTime() - seenNs > STALL_NS) {
        throw new CommandFailure("no Tripwire reported a write for " + STALL_NS / 1_000_000_000 + " s after " + seen + ", and the mapping is OK");
      }
    }
  }

  /** Whether this pass needs no more than that many writes. */
  final boolean isEnough(long writes, long nowNs) {
    return writes >= target || nowNs - deadlineNs >= 0 && deadlineNs != Long.MAX_VALUE;
  }

  /** Records one completed round trip. */
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

  /** Puts a number at the end of the next write's data. */
  final void mark(long number) {
    if (p.sizeBytes() >= Long.BYTES) {
      session.source.set(ValueLayout.JAVA_LONG_UNALIGNED, p.sizeBytes() - Long.BYTES, number);
    }
  }

  /** Counts an answer that differs from the written data. */
  final void check(long place, long number) {
    if (p.sizeBytes() >= Long.BYTES) {
      MemorySegment memory = session.memory;
      long at = NearTripwires.PLACES + place + p.sizeBytes() - Long.BYTES;
      wrong += memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at) == number ? 0 : 1;
    }
  }
}
