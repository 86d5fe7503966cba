package dev.weft.lab.seed002.files;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Point;
import dev.weft.lab.repro.plot.Chart.Series;
import dev.weft.lab.seed002.files.SmallWrites.Scheme;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/** Figure 11 of seed 002: how long small writes take by each scheme, and up to which size each is best. */
public final class SmallWriteExperiment extends FileExperiment {
  private static final int WRITES = 64;
  private static final double US = 1e3;
  private static final double KIB = 1024;
  /** What our client changes the mechanism for: {@code weft.pvfs.client.tuning.gain}. */
  private static final double GAIN = 0.1;

  /** Named by its ServiceLoader entry. */
  public SmallWriteExperiment() {
    super("pvfs-small", "seed 002 Figure 11: time of small writes by mechanism and registration", List.of("pvfs.small.inline", "pvfs.small.fast",
        "pvfs.small.cross"));
  }

  @Override
  public Map<String, String> choices() {
    return Map.of("pvfs.small.inline", "no significant difference from Fast RDMA being less than 10 %", "pvfs.small.fast",
        "buffers that are not registered, and FMRD");
  }

  @Override
  Findings run(HardwareProfile profile, Setting setting) {
    Map<Scheme, TreeMap<Integer, Double>> times = new EnumMap<>(Scheme.class);
    for (Scheme scheme : Scheme.values()) {
      TreeMap<Integer, Double> of = new TreeMap<>();
      for (int bytes = SmallWrites.SMALLEST; bytes <= SmallWrites.largest(scheme); bytes *= 2) {
        of.put(bytes, SmallWrites.ns(profile, setting.seed(), ramfs(setting), scheme, bytes, WRITES));
      }
      times.put(scheme, of);
    }
    TreeMap<Integer, Double> fast = times.get(Scheme.FAST);
    Findings findings = new Findings()
        .row("pvfs.small.inline", Measured.value(upTo(times.get(Scheme.INLINE), fast, (inline, other) -> inline <= other * (1 + GAIN))))
        .row("pvfs.small.fast", Measured.value(upTo(times.get(Scheme.FAST_MISS), times.get(Scheme.SERVER_FMRD), (mine, other) -> mine <= other)))
        .row("pvfs.small.cross", Measured.value(upTo(times.get(Scheme.INLINE), times.get(Scheme.SERVER), (inline, other) -> inline <= other)));
    int most = SmallWrites.largest(Scheme.INLINE);
    findings.check("with cached buffers Fast RDMA is best at every size to 64 KiB", fast.headMap(most, true).entrySet().stream()
        .allMatch(at -> at.getValue() <= times.get(Scheme.INLINE).get(at.getKey()) && at.getValue() <= times.get(Scheme.SERVER).get(at.getKey())), "");
    findings.check("FMRD helps server-based writes at every size", times.get(Scheme.SERVER_FMRD).entrySet().stream()
        .allMatch(at -> at.getValue() < times.get(Scheme.SERVER_MISS).get(at.getKey())), "");
    StringBuilder text = new StringBuilder("us of 4, 32 and 64 KiB:");
    times.forEach((scheme, of) -> text.append(String.format(Locale.ROOT, " %s %.1f, %.1f, %.1f;", scheme.text, of.get(4 << 10) / US, of.get(32 << 10) / US,
        of.get(64 << 10) / US)));
    findings.note(text.toString());
    List<Series> series = new ArrayList<>();
    times.forEach((scheme, of) -> series.add(new Series(scheme.text, false,
        of.entrySet().stream().map(at -> new Point(at.getKey(), at.getValue() / US)).toList())));
    return findings.chart(Chart.lines("pvfs-fig11-small-writes", "Seed 002 Figure 11: small writes", "bytes", "us", true, series));
  }

  /** The largest size, in KiB, up to which it holds at every size; 0 if at none. */
  private static double upTo(TreeMap<Integer, Double> one, TreeMap<Integer, Double> other, BiPredicate<Double, Double> holds) {
    double last = 0;
    for (Map.Entry<Integer, Double> at : one.entrySet()) {
      Double against = other.get(at.getKey());
      if (against == null || !holds.test(at.getValue(), against)) {
        return last / KIB;
      }
      last = at.getKey();
    }
    return last / KIB;
  }
}
