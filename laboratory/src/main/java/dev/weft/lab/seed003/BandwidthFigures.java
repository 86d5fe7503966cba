package dev.weft.lab.seed003;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Derivation;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.PaperPoint;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Tolerance;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Point;
import dev.weft.lab.repro.plot.Chart.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Seed 003 section 5.3.2, Figure 7: bandwidth of single and of streamed messages by their size. */
public final class BandwidthFigures extends NamedExperiment {
  private static final int SMALLEST = 16;
  private static final int LARGEST = 1 << 16;
  private static final int MESSAGES = 50;

  public BandwidthFigures() {
    super("clan-bandwidth", "seed 003 section 5.3.2, Figure 7: bandwidth of messages by size, single and streaming", Clan.PROFILE,
        List.of("clan.bw.setup", "clan.bw.half"));
  }

  @Override
  public Tolerance tolerance(String row) {
    return Clan.TOLERANCE;
  }

  @Override
  public Map<String, Derivation> derived() {
    return Map.of("clan.bw.half",
        Derivation.of("half of the rate is reached where a message takes as long on the link as to set up", "clan.bw.setup", "clan.bw.dma"));
  }

  @Override
  public Findings run(Setting setting) {
    HardwareProfile profile = Clan.profile(setting);
    List<Point> single = new ArrayList<>();
    List<Point> stream = new ArrayList<>();
    for (int bytes = SMALLEST; bytes <= LARGEST; bytes *= 2) {
      single.add(new Point(bytes, mbits(bytes, MessageExperiment.singleNs(profile, setting.seed(), bytes, MESSAGES))));
      stream.add(new Point(bytes, mbits(bytes, MessageExperiment.streamNs(profile, setting.seed(), bytes, MESSAGES))));
    }
    double half = halfBytes(profile, setting, stream.getLast().y());
    return new Findings()
        .row("clan.bw.setup", Measured.value(setupUs(profile, setting)))
        .row("clan.bw.half", Measured.value(half))
        .check("streaming is faster than single messages at every size", isAbove(stream, single), String.format(Locale.ROOT,
            "%.0f against %.0f Mbit/s at %d bytes", stream.getLast().y(), single.getLast().y(), LARGEST))
        .chart(Chart.lines("clan-fig7-bandwidth", "Seed 003 Figure 7: bandwidth by message size", "bytes", "Mbit/s", true,
            List.of(new Series("single", false, single), new Series("streaming", false, stream))),
            PaperPoint.of(LARGEST, "clan.bw.dma"), PaperPoint.at("clan.bw.half", 0.5, "clan.bw.dma"))
        .note("the maximum is that of streamed messages of 64 KiB; the set-up is what a line through streamed messages of 1 and 2 KiB"
            + " leaves at no bytes");
  }

  private static double mbits(double bytes, double ns) {
    return bytes * 8e3 / ns;
  }

  private static double setupUs(HardwareProfile profile, Setting setting) {
    double once = MessageExperiment.streamNs(profile, setting.seed(), 1024, MESSAGES);
    double twice = MessageExperiment.streamNs(profile, setting.seed(), 2048, MESSAGES);
    return (2 * once - twice) / 1e3;
  }

  /** The size, to eight bytes, whose bandwidth is the nearest at or above half of the maximum. */
  private static double halfBytes(HardwareProfile profile, Setting setting, double maximum) {
    int low = MessageExperiment.BYTES_MIN;
    int high = LARGEST;
    while (high - low > 8) {
      int middle = (low + high) / 16 * 8;
      boolean isBelow = mbits(middle, MessageExperiment.streamNs(profile, setting.seed(), middle, MESSAGES)) < maximum / 2;
      low = isBelow ? middle : low;
      high = isBelow ? high : middle;
    }
    return high;
  }

  private static boolean isAbove(List<Point> upper, List<Point> lower) {
    for (int i = 0; i < upper.size(); i++) {
      if (upper.get(i).y() <= lower.get(i).y()) {
        return false;
      }
    }
    return true;
  }
}
