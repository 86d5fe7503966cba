package dev.weft.lab.seed001;

import dev.weft.lab.hosts.AdapterCosts;
import dev.weft.lab.hosts.SwapProfile;
import dev.weft.lab.hosts.WhatIf;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Point;
import dev.weft.lab.repro.plot.Chart.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Figure 11 of seed 001: quicksort with 1 to 16 memory servers. */
public final class ServersExperiment extends NamedExperiment {
  private static final int[] SERVERS = {1, 2, 4, 8, 16};
  /** Up to eight servers: what still counts as flat. */
  private static final double FLAT = 1.05;
  /** With sixteen: what counts as a degradation. */
  private static final double DEGRADED = 1.01;

  public ServersExperiment() {
    super("servers", "seed 001 Figure 11: quicksort over HPBD with 1 to 16 memory servers", Hpbd.PROFILE, List.of("hpbd.servers"));
  }

  private static int most(int[] servers) {
    return servers[servers.length - 1];
  }

  /** What the model of the adapter can explain at most. */
  private static String contexts(SwapProfile profile, Machine machine, Setting setting, QuickSort sort, double usual) {
    AdapterCosts costs = profile.hardware().adapter();
    SwapProfile one = profile.over(WhatIf.qpContexts(profile.hardware(), 1));
    return String.format(Locale.ROOT, "the paper blames how the HCA handles many queue pairs and measured nothing of it. The adapter model"
        + " fetches a context of a queue pair that is not among its last %d, in %.1f us (both assumed); were it to keep a single one, so that"
        + " every change of server fetches, 16 servers would take %.1f s instead of %.1f s, because a request takes a hundred times"
        + " longer than a fetch and the areas are used one after another. The model lacks whatever else slowed that HCA down",
        costs.qpContexts(), costs.qpMissNs() / 1e3, Hpbd.run(one, machine, setting, sort).seconds(), usual);
  }

  @Override
  public Findings run(Setting setting) {
    SwapProfile profile = Hpbd.profile(setting);
    QuickSort sort = new Hpbd.Sorter(profile, setting).sort(0);
    Machine machine = Hpbd.machine(Backing.HPBD, Hpbd.LOCAL_MB);
    List<Point> points = new ArrayList<>();
    for (int servers : SERVERS) {
      points.add(new Point(servers, Hpbd.run(profile, machine.withServers(servers), setting, sort).seconds()));
    }
    double least = points.stream().filter(p -> p.x() <= 8).mapToDouble(Point::y).min().orElseThrow();
    double most = points.stream().filter(p -> p.x() <= 8).mapToDouble(Point::y).max().orElseThrow();
    double sixteen = points.getLast().y();
    boolean isFlat = most <= least * FLAT;
    boolean isDegraded = sixteen >= most * DEGRADED;
    return new Findings()
        .row("hpbd.servers", Measured.order(isFlat && isDegraded, String.format(Locale.ROOT,
            "1 to 8: %.1f to %.1f s; 16: %.1f s", least, most, sixteen)))
        .chart(Chart.lines("hpbd-fig11-servers", "Seed 001 Figure 11: quicksort by number of servers", "servers", "seconds", false,
            List.of(new Series("Weft", false, points))))
        .note(Hpbd.scaleNote())
        .note(contexts(profile, machine.withServers(most(SERVERS)), setting, sort, sixteen))
        .note("the paper has 512 MB of swap area here, which with 512 MB of memory leaves nothing for the kernel; ours has 1 GB");
  }
}
