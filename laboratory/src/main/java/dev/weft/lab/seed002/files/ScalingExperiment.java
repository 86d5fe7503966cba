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

/** Figures 7 and 8 of seed 002: aggregate bandwidth by compute nodes, for each number of I/O nodes. */
public final class ScalingExperiment extends FileExperiment {
  private static final int NODES = 4;

  /** Named by its ServiceLoader entry. */
  public ScalingExperiment() {
    super("pvfs-scaling", "seed 002 Figures 7 and 8: bandwidth of pvfs-test by I/O nodes and compute nodes, ramfs, TCP and verbs",
        List.of("pvfs.fig7.read", "pvfs.fig7.write", "pvfs.fig8.read", "pvfs.fig8.write"));
  }

  @Override
  public Map<String, String> choices() {
    return Map.of("pvfs.fig7.read", TCP_CHOICE, "pvfs.fig7.write", TCP_CHOICE);
  }

  @Override
  Findings run(HardwareProfile profile, Setting setting) {
    Grid tcp = Grid.run(profile, setting.seed(), Transport.TCP, ramfs(setting));
    Grid verbs = Grid.run(profile, setting.seed(), Transport.VERBS, ramfs(setting));
    double verbsRead = verbs.perIoNode(false);
    double verbsWrite = verbs.perIoNode(true);
    return new Findings()
        .row("pvfs.fig7.read", Measured.value(tcp.perComputeNode(false)))
        .row("pvfs.fig7.write", Measured.value(tcp.perComputeNode(true)))
        .row("pvfs.fig8.read", Measured.value(verbsRead))
        .row("pvfs.fig8.write", Measured.order(verbsWrite < verbsRead, String.format(Locale.ROOT, "%.0f, read %.0f MB/s", verbsWrite, verbsRead)))
        .check("verbs carry more than TCP with any number of nodes", verbs.isAbove(tcp), "of 32 pairs")
        .note("each added node: TCP from one compute node to two, with four I/O nodes; verbs from one I/O node to four, with four compute nodes")
        .chart(tcp.chart("pvfs-fig7-tcp", "Seed 002 Figure 7: PVFS over TCP"))
        .chart(verbs.chart("pvfs-fig8-verbs", "Seed 002 Figure 8: PVFS over verbs"));
  }

  /** Rates of writes and reads with one to four nodes of each kind. */
  private record Grid(double[][] writes, double[][] reads) {
    static Grid run(HardwareProfile profile, long seed, Transport transport, Files files) {
      Grid grid = new Grid(new double[NODES][NODES], new double[NODES][NODES]);
      for (int io = 0; io < NODES; io++) {
        for (int compute = 0; compute < NODES; compute++) {
          Contiguous.Result result = Contiguous.run(profile, seed, new Setup(transport, files, io + 1, compute + 1));
          grid.writes[io][compute] = result.write().rate();
          grid.reads[io][compute] = result.read().rate();
        }
      }
      return grid;
    }

    double perComputeNode(boolean isWrite) {
      double[] most = (isWrite ? writes : reads)[NODES - 1];
      return most[1] - most[0];
    }

    double perIoNode(boolean isWrite) {
      double[][] rates = isWrite ? writes : reads;
      return (rates[NODES - 1][NODES - 1] - rates[0][NODES - 1]) / (NODES - 1);
    }

    boolean isAbove(Grid other) {
      boolean isAbove = true;
      for (int io = 0; io < NODES; io++) {
        for (int compute = 0; compute < NODES; compute++) {
          isAbove &= writes[io][compute] > other.writes[io][compute] && reads[io][compute] > other.reads[io][compute];
        }
      }
      return isAbove;
    }

    Chart chart(String file, String title) {
      List<Series> series = new ArrayList<>();
      for (int io = 0; io < NODES; io++) {
        series.add(new Series((io + 1) + " I/O, read", false, points(reads[io])));
        series.add(new Series((io + 1) + " I/O, write", false, points(writes[io])));
      }
      return Chart.lines(file, title, "compute nodes", "MB/s", false, series);
    }

    private static List<Point> points(double[] rates) {
      List<Point> points = new ArrayList<>();
      for (int i = 0; i < rates.length; i++) {
        points.add(new Point(i + 1, rates[i]));
      }
      return points;
    }
  }
}
