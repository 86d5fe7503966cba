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
import java.util.function.ToDoubleFunction;

/** Figures 9 and 10 of seed 002: MPI-IO on four I/O nodes, in memory and on disks, and how busy compute nodes are. */
public final class MpiIoExperiment extends FileExperiment {
  private static final int IO_NODES = 4;
  private static final int COMPUTE_MAX = 4;
  private static final double PERCENT = 100;

  /** Named by its ServiceLoader entry. */
  public MpiIoExperiment() {
    super("pvfs-mpi-io", "seed 002 Figures 9 and 10: MPI-IO on four I/O nodes with ramfs and ext3, TCP and verbs, and use of processors",
        List.of("pvfs.mpiio.ramfs", "pvfs.mpiio.ext3", "pvfs.mpiio.ext3.write", "pvfs.cpu.tcp", "pvfs.cpu.rdma"));
  }

  @Override
  public Map<String, String> choices() {
    return Map.of("pvfs.mpiio.ramfs", TCP_CHOICE, "pvfs.mpiio.ext3", TCP_CHOICE, "pvfs.cpu.tcp", TCP_CHOICE);
  }

  @Override
  Findings run(HardwareProfile profile, Setting setting) {
    List<Contiguous.Result> tcpRamfs = byComputeNodes(profile, setting, Transport.TCP, ramfs(setting));
    List<Contiguous.Result> ramfs = byComputeNodes(profile, setting, Transport.VERBS, ramfs(setting));
    List<Contiguous.Result> tcpExt3 = byComputeNodes(profile, setting, Transport.TCP, ext3(setting));
    List<Contiguous.Result> ext3 = byComputeNodes(profile, setting, Transport.VERBS, ext3(setting));
    double inMemory = mean(ramfs, tcpRamfs);
    double onDisk = PERCENT * (mean(ext3, tcpExt3) - 1);
    List<Point> tcpBusy = points(tcpRamfs, result -> busy(result, true));
    List<Point> verbsBusy = points(ramfs, result -> busy(result, false));
    return new Findings()
        .row("pvfs.mpiio.ramfs", Measured.value(inMemory))
        .row("pvfs.mpiio.ext3", Measured.value(onDisk))
        .row("pvfs.mpiio.ext3.write", Measured.value(ext3.getLast().write().rate()))
        .row("pvfs.cpu.tcp", Measured.value(tcpBusy.stream().mapToDouble(Point::y).max().orElseThrow()))
        .row("pvfs.cpu.rdma", Measured.value(verbsBusy.stream().mapToDouble(Point::y).min().orElseThrow()))
        .check("processor use over TCP falls from one compute node to four", tcpBusy.getFirst().y() > tcpBusy.getLast().y(),
            String.format(Locale.ROOT, "%.0f to %.0f %%", tcpBusy.getFirst().y(), tcpBusy.getLast().y()))
        .note(ranges("verbs against TCP, ramfs, write and read, one to four compute nodes:", ramfs, tcpRamfs))
        .note(ranges("the same with ext3:", ext3, tcpExt3))
        .chart(chart("ramfs", ramfs, tcpRamfs))
        .chart(chart("ext3", ext3, tcpExt3))
        .chart(Chart.lines("pvfs-fig10-processor", "Seed 002 Figure 10: processor use of compute nodes", "compute nodes", "percent of one processor", false,
            List.of(new Series("TCP", false, tcpBusy), new Series("verbs", false, verbsBusy))));
  }

  private static List<Contiguous.Result> byComputeNodes(HardwareProfile profile, Setting setting, Transport transport, Files files) {
    List<Contiguous.Result> results = new ArrayList<>();
    for (int compute = 1; compute <= COMPUTE_MAX; compute++) {
      results.add(Contiguous.run(profile, setting.seed(), new Setup(transport, files, IO_NODES, compute)));
    }
    return results;
  }

  /** Mean quotient of rates, over writes and reads and numbers of compute nodes. */
  private static double mean(List<Contiguous.Result> verbs, List<Contiguous.Result> tcp) {
    double sum = 0;
    for (int i = 0; i < verbs.size(); i++) {
      sum += verbs.get(i).write().rate() / tcp.get(i).write().rate() + verbs.get(i).read().rate() / tcp.get(i).read().rate();
    }
    return sum / 2 / verbs.size();
  }

  private static String ranges(String what, List<Contiguous.Result> verbs, List<Contiguous.Result> tcp) {
    StringBuilder text = new StringBuilder(what);
    for (int i = 0; i < verbs.size(); i++) {
      text.append(String.format(Locale.ROOT, " %.2f, %.2f%s", verbs.get(i).write().rate() / tcp.get(i).write().rate(),
          verbs.get(i).read().rate() / tcp.get(i).read().rate(), i == verbs.size() - 1 ? "" : ";"));
    }
    return text.toString();
  }

  private static double busy(Contiguous.Result result, boolean isMost) {
    double write = result.write().busyPercent();
    double read = result.read().busyPercent();
    return isMost ? Math.max(write, read) : Math.min(write, read);
  }

  private static Chart chart(String files, List<Contiguous.Result> verbs, List<Contiguous.Result> tcp) {
    return Chart.lines("pvfs-fig9-mpi-io-" + files, "Seed 002 Figure 9: MPI-IO, four I/O nodes, " + files, "compute nodes", "MB/s", false, rates(verbs, tcp));
  }

  private static List<Series> rates(List<Contiguous.Result> verbs, List<Contiguous.Result> tcp) {
    return List.of(new Series("verbs, write", false, points(verbs, result -> result.write().rate())),
        new Series("verbs, read", false, points(verbs, result -> result.read().rate())),
        new Series("TCP, write", false, points(tcp, result -> result.write().rate())),
        new Series("TCP, read", false, points(tcp, result -> result.read().rate())));
  }

  private static List<Point> points(List<Contiguous.Result> results, ToDoubleFunction<Contiguous.Result> of) {
    List<Point> points = new ArrayList<>();
    for (Contiguous.Result result : results) {
      points.add(new Point(points.size() + 1.0, of.applyAsDouble(result)));
    }
    return points;
  }
}
