package dev.weft.lab.seed002.files;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Tolerance;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Point;
import dev.weft.lab.repro.plot.Chart.Series;
import dev.weft.lab.seed002.BufferReuse;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Figure 13 of seed 002 with the file system's own client: write bandwidth by strategy of registration. */
public final class ReuseExperiment extends FileExperiment {
  private static final int SMALLEST = 64 << 10;
  private static final int LARGEST = 1 << 20;
  /** A tenth of the paper's operations, pool and cache. */
  private static final int OPERATIONS = 100;
  private static final int ENTRIES = 10;
  private static final double PERCENT = 100;

  private enum Line {
    NONE("static", 0),
    DYNAMIC("dynamic", 0),
    PIN_20("pin-down-cache", 20),
    PIN_80("pin-down-cache", 80),
    FMRD_20("fmrd", 20),
    FMRD_80("fmrd", 80);

    private final String registration;
    private final int hitPercent;

    Line(String registration, int hitPercent) {
      this.registration = registration;
      this.hitPercent = hitPercent;
    }

    private String text() {
      return registration + (hitPercent == 0 ? "" : " " + hitPercent + "%");
    }
  }

  /** Named by its ServiceLoader entry. */
  public ReuseExperiment() {
    super("pvfs-registration", "seed 002 Figure 13: write bandwidth of the file system's client by strategy of registration",
        List.of("pvfs.reg.dynamic", "pvfs.reg.pin80", "pvfs.reg.fmrd80", "pvfs.reg.fmrd20"));
  }

  /** Every row is in percent. */
  @Override
  public Tolerance tolerance(String row) {
    return Tolerance.absolute(10);
  }

  @Override
  public Map<String, String> choices() {
    String mean = "the mean over sizes from 64 KiB to 1 MiB, of which the paper names none, and assumed costs of registering";
    return Map.of("pvfs.reg.dynamic", "the largest of the sizes from 64 KiB to 1 MiB, of which the paper names none, and assumed costs of registering",
        "pvfs.reg.pin80", mean, "pvfs.reg.fmrd80", mean, "pvfs.reg.fmrd20", mean);
  }

  @Override
  Findings run(HardwareProfile profile, Setting setting) {
    Map<Line, List<Point>> rates = new EnumMap<>(Line.class);
    for (Line line : Line.values()) {
      List<Point> points = new ArrayList<>();
      int[] buffers = BufferReuse.sequence(OPERATIONS, line.hitPercent, ENTRIES, setting.seed());
      for (int bytes = SMALLEST; bytes <= LARGEST; bytes *= 2) {
        int entries = line == Line.NONE ? OPERATIONS * (bytes / SMALLEST) : ENTRIES; // Of 64 KiB each, taken together.
        points.add(new Point(bytes, bytes / Reuse.ns(profile, setting.seed(), ramfs(setting), line.registration, entries, bytes, buffers)));
      }
      rates.put(line, points);
    }
    double reduction = -percents(rates, Line.DYNAMIC, Line.NONE).min().orElseThrow();
    Findings findings = new Findings()
        .row("pvfs.reg.dynamic", Measured.value(reduction))
        .row("pvfs.reg.pin80", Measured.value(mean(rates, Line.PIN_80, Line.DYNAMIC)))
        .row("pvfs.reg.fmrd80", Measured.value(mean(rates, Line.FMRD_80, Line.DYNAMIC)))
        .row("pvfs.reg.fmrd20", Measured.value(mean(rates, Line.FMRD_20, Line.PIN_20)));
    checkOrder(findings, rates, Line.DYNAMIC, Line.PIN_20, Line.PIN_80, Line.FMRD_80, Line.NONE);
    checkOrder(findings, rates, Line.PIN_20, Line.FMRD_20);
    List<Series> series = new ArrayList<>();
    rates.forEach((line, points) -> {
      if (line != Line.NONE) {
        series.add(new Series(line.text(), false, IntStream.range(0, points.size())
            .mapToObj(i -> new Point(points.get(i).x(), points.get(i).y() / rates.get(Line.NONE).get(i).y())).toList()));
      }
    });
    return findings.chart(Chart.lines("pvfs-fig13-client", "Seed 002 Figure 13: write bandwidth against no registration, by the file system's client",
        "bytes", "share", true, series));
  }

  /** The first of each pair has less, at every size. */
  private static void checkOrder(Findings findings, Map<Line, List<Point>> rates, Line... rising) {
    for (int i = 1; i < rising.length; i++) {
      double least = percents(rates, rising[i], rising[i - 1]).min().orElseThrow();
      findings.check(rising[i - 1].text() + " < " + rising[i].text() + " at every size", least > 0, String.format(Locale.ROOT, "at least %.1f %%", least));
    }
  }

  private static double mean(Map<Line, List<Point>> rates, Line better, Line worse) {
    return percents(rates, better, worse).average().orElseThrow();
  }

  private static DoubleStream percents(Map<Line, List<Point>> rates, Line better, Line worse) {
    return IntStream.range(0, rates.get(better).size()).mapToDouble(i -> PERCENT * (rates.get(better).get(i).y() / rates.get(worse).get(i).y() - 1));
  }
}
