package dev.weft.lab.seed003;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Derivation;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.PaperPoint;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Table;
import dev.weft.lab.repro.Tolerance;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Point;
import dev.weft.lab.repro.plot.Chart.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Seed 003 section 5.3.1, Figures 5 and 6: the event server's round trip, idle and busy, and its rate, by the number of endpoints. */
public final class ServerFigures extends NamedExperiment {
  private static final int[] ENDPOINTS = {1, 10, 100, 250, 500, 1000};
  private static final int[] IN_FLIGHT = {1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 256, 512, 1000};
  private static final int FEW = 10;
  private static final int ROUNDS = 200;
  /** Requests for each point of the rate. */
  private static final int REQUESTS = 2000;
  /** Far more than the server polls before it sleeps. */
  private static final long GAP_NS = 100_000;
  /** Largest over smallest round trip: what still counts as independent. */
  private static final double INDEPENDENT = 1.02;

  public ServerFigures() {
    super("clan-server", "seed 003 section 5.3.1, Figures 5 and 6: an event-based server with Tripwires", Clan.PROFILE, List.of("clan.syscall",
        "clan.sched", "clan.irq", "clan.server.idle", "clan.server.busy", "clan.server.endpoints", "clan.server.rate"));
  }

  @Override
  public Tolerance tolerance(String row) {
    return Clan.TOLERANCE;
  }

  @Override
  public Map<String, Derivation> derived() {
    return Map.of("clan.server.endpoints",
        Derivation.of("nothing is charged by the number of Tripwires that are armed or registered", Derivation.MODEL));
  }

  @Override
  public Map<String, String> choices() {
    return Map.of("clan.server.rate", "weft.tripwire.fifo-batch = 1, an interrupt for each firing; the note says what one for all gives");
  }

  @Override
  public Findings run(Setting setting) {
    HardwareProfile profile = Clan.profile(setting);
    List<Point> idle = new ArrayList<>();
    List<Point> busy = new ArrayList<>();
    for (int endpoints : ENDPOINTS) {
      idle.add(new Point(endpoints, roundTripUs(profile, setting, endpoints, GAP_NS)));
      busy.add(new Point(endpoints, roundTripUs(profile, setting, endpoints, 0)));
    }
    List<Point> rate = new ArrayList<>();
    for (int requests : IN_FLIGHT) {
      rate.add(new Point(requests, rate(profile, setting, requests, "")));
    }
    double all = rate(profile, setting, IN_FLIGHT[IN_FLIGHT.length - 1], "weft.tripwire.fifo-batch = 0");
    double most = rate.stream().mapToDouble(Point::y).max().orElseThrow();
    double spread = Math.max(spread(idle), spread(busy));
    return new Findings()
        .row("clan.syscall", part(setting, "cpu.system-call = 0 us"))
        .row("clan.sched", part(setting, "cpu.scheduling = 0 us"))
        .row("clan.irq", part(setting, "cpu.interrupt = 0 us"))
        .row("clan.server.idle", Measured.value(at(idle, FEW)))
        .row("clan.server.busy", Measured.value(at(busy, FEW)))
        .row("clan.server.endpoints", Measured.order(spread <= INDEPENDENT,
            String.format(Locale.ROOT, "1 to 1,000: within %.1f %%", 100 * (spread - 1))))
        .row("clan.server.rate", Measured.value(most))
        .check("the rate grows with the requests in flight and levels off", grows(rate), String.format(Locale.ROOT,
            "%.0f with 1, %.0f with 16, %.0f with 1,000", at(rate, 1), at(rate, 16), at(rate, 1000)))
        .table(table(rate))
        .chart(Chart.lines("clan-fig5-endpoints", "Seed 003 Figure 5: round trip by number of endpoints", "endpoints", "us", false,
            List.of(new Series("idle", false, idle), new Series("busy", false, busy))),
            PaperPoint.of(FEW, "clan.server.idle"), PaperPoint.of(FEW, "clan.server.busy"))
        .chart(Chart.lines("clan-fig6-rate", "Seed 003 Figure 6: requests per second by number of endpoints", "endpoints",
            "requests/s", true, List.of(new Series("Weft", false, rate))), PaperPoint.of(1000, "clan.server.rate"))
        .note(String.format(Locale.ROOT, "each firing costs the server an interrupt, as section 2.5 says of the NIC: that bounds the rate. Did one"
            + " interrupt take all identifiers that are there, the server would answer %.0f requests per second", all))
        .note("system call, scheduler and interrupt are what the idle round trip gets shorter by without them");
  }

  private static Measured part(Setting setting, String without) {
    return Measured.value(Clan.part(setting, without, profile -> roundTripUs(profile, setting, FEW, GAP_NS)));
  }

  private static double roundTripUs(HardwareProfile profile, Setting setting, int endpoints, long gapNs) {
    return ServerExperiment.roundTripNs(profile, setting.seed(), endpoints, gapNs, ROUNDS) / 1e3;
  }

  private static double rate(HardwareProfile profile, Setting setting, int inFlight, String settings) {
    return ServerExperiment.requestsPerSecond(profile, setting.seed(), inFlight, Math.ceilDiv(REQUESTS, inFlight), settings);
  }

  private static Table table(List<Point> rate) {
    return new Table("requests per second by requests in flight", List.of("in flight", "requests/s"),
        rate.stream().map(point -> List.<Object>of(Integer.toString((int) point.x()), Long.toString(Math.round(point.y())))).toList());
  }

  private static double at(List<Point> points, int x) {
    return points.stream().filter(point -> point.x() == x).findFirst().orElseThrow().y();
  }

  private static double spread(List<Point> points) {
    return points.stream().mapToDouble(Point::y).max().orElseThrow() / points.stream().mapToDouble(Point::y).min().orElseThrow();
  }

  /** Never falls by more than three hundredths, and the last doubling brings less than a tenth. */
  private static boolean grows(List<Point> rate) {
    for (int i = 1; i < rate.size(); i++) {
      if (rate.get(i).y() < 0.97 * rate.get(i - 1).y()) {
        return false;
      }
    }
    return rate.getLast().y() < 1.1 * rate.get(rate.size() - 2).y();
  }
}
