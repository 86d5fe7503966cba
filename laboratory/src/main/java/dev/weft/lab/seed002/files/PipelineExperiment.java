package dev.weft.lab.seed002.files;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Point;
import dev.weft.lab.repro.plot.Chart.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Figure 12 of seed 002: 32 MB in one request, by transfer unit. */
public final class PipelineExperiment extends FileExperiment {
  private static final double COMPLETE = 0.9;
  private static final double MB = 1 << 20;

  /** Named by its ServiceLoader entry. */
  public PipelineExperiment() {
    super("pvfs-pipeline", "seed 002 Figure 12: 32 MB to and from one I/O node, by transfer unit", List.of("pvfs.pipeline"));
  }

  @Override
  public Map<String, String> choices() {
    return Map.of("pvfs.pipeline", "overlap being complete at 90 % of the best rate of all units");
  }

  @Override
  Findings run(HardwareProfile profile, Setting setting) {
    List<Point> writes = new ArrayList<>();
    List<Point> reads = new ArrayList<>();
    for (int unit = Pipeline.SMALLEST_UNIT; unit <= Pipeline.LARGEST_UNIT; unit *= 2) {
      Contiguous.Result result = Pipeline.run(profile, setting.seed(), ramfs(setting), unit);
      writes.add(new Point(unit, result.write().rate()));
      reads.add(new Point(unit, result.read().rate()));
    }
    double complete = Math.min(complete(writes), complete(reads));
    return new Findings()
        .row("pvfs.pipeline", Measured.atLeast(complete / MB))
        .check("the longest unit, a quarter of the transfer, overlaps less", complete < Pipeline.LARGEST_UNIT,
            String.format(Locale.ROOT, "complete to %.2f MB", complete / MB))
        .note("the paper says that units below its number suffice, so ours may be larger; our daemon's longest unit is 8 MiB")
        .chart(Chart.lines("pvfs-fig12-pipeline", "Seed 002 Figure 12: 32 MB by transfer unit", "bytes", "MB/s", true,
            List.of(new Series("write", false, writes), new Series("read", false, reads))));
  }

  /** The longest unit at which overlap is complete. */
  private static double complete(List<Point> rates) {
    double best = rates.stream().mapToDouble(Point::y).max().orElseThrow();
    return rates.stream().filter(point -> point.y() >= COMPLETE * best).mapToDouble(Point::x).max().orElseThrow();
  }
}
