package dev.weft.lab.trials.tripwire;

import dev.weft.service.measure.LatencyRecorder;
import java.util.ArrayList;
import java.util.List;

/** Runs one measurement for each number of additional Tripwires, in turn, in one session. On an application thread. */
final class TripwireRun {
  /** The combined results for one number. */
  private static final class Side {
    final LatencyRecorder latency = new LatencyRecorder();
    final List<Double> medians = new ArrayList<>();
    final List<Double> rates = new ArrayList<>();
    long writes;
    long elapsedNs;
    double peak;
    long wrong;
  }

  private TripwireRun() {}

  /**
   * @param beside numbers of additional Tripwires that are armed at the far side and never touched
   * @param rounds turns of each number
   */
  static List<TripwireResult> run(TripwireFabric fabric, TripwireParameters p, List<Integer> beside, int rounds) {
    List<Side> sides = beside.stream().map(count -> new Side()).toList();
    try (NearTripwires session = new NearTripwires(fabric, p)) {
      TripwireDrive drive = switch (p.test()) {
        case RTT -> new PingPong(p, session, fabric);
        case RATE, BANDWIDTH -> new Stream(p, session, fabric);
        case SERVER -> new Requests(p, session, fabric);
      };
      try {
        measure(session, drive, p, beside, sides, rounds);
      } finally {
        drive.close();
      }
    }
    List<TripwireResult> results = new ArrayList<>();
    for (int i = 0; i < sides.size(); i++) {
      Side s = sides.get(i);
      results.add(new TripwireResult(p, fabric.jvms(), beside.get(i), s.writes, s.elapsedNs, s.peak, s.latency, s.medians, s.rates, s.wrong));
    }
    return results;
  }

  private static void measure(NearTripwires session, TripwireDrive drive, TripwireParameters p, List<Integer> beside, List<Side> sides,
      int rounds) {
    boolean warm = p.warmUp() == 0;
    for (int round = 0; round < rounds; round++) {
      for (int turn = 0; turn < sides.size(); turn++) {
        int i = (turn + round) % sides.size(); // Each number comes first equally often.
        session.armBeside(beside.get(i));
        if (!warm) {
          drive.pass(p.warmUp(), 0, null);
          warm = true;
        }
        Side side = sides.get(i);
        LatencyRecorder own = new LatencyRecorder();
        drive.pass(p.iterations(), p.durationNs(), own);
        long elapsedNs = Math.max(1, drive.endNs - drive.startNs);
        side.writes += drive.done;
        side.elapsedNs += elapsedNs;
        side.peak = Math.max(side.peak, drive.peakPerSecond());
        side.wrong += drive.wrong;
        side.rates.add(drive.done * 1e9 / elapsedNs);
        if (own.count() > 0) {
          side.medians.add(own.summarise(TripwireResult.divisor(p.test())).median());
          side.latency.add(own);
        }
      }
    }
  }
}
