package dev.weft.lab.seed001;

import dev.weft.lab.hosts.SwapProfile;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Series;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Figure 9 of seed 001: Barnes-Hut with 2,097,152 bodies, whose memory is hardly larger than the machine's. */
public final class BarnesExperiment extends NamedExperiment {
  private static final int BODIES = 1 << 21;
  private static final int STEPS = 2;
  private static final float OPENING_ANGLE = 1;
  /** About a hundred cycles. */
  private static final long PS_PER_INTERACTION = 40_000;
  private static final double WORDS_PER_MB = 1 << 18;

  public BarnesExperiment() {
    super("barnes", "seed 001 Figure 9: Barnes-Hut with 2,097,152 bodies and 512 MB of memory, by swap device", Hpbd.PROFILE, List.of());
  }

  @Override
  public Findings run(Setting setting) {
    SwapProfile profile = Hpbd.profile(setting);
    BarnesHut program = new BarnesHut(BODIES / Hpbd.SCALE, STEPS, OPENING_ANGLE, setting.seed(), PS_PER_INTERACTION);
    double[] seconds = new double[Backing.values().length];
    for (Backing backing : Backing.values()) {
      seconds[backing.ordinal()] = Hpbd.run(profile, Hpbd.machine(backing, Hpbd.LOCAL_MB), setting, program).seconds();
    }
    return new Findings()
        .chart(Chart.bars("hpbd-fig9-barnes", "Seed 001 Figure 9: Barnes-Hut", "seconds",
            Arrays.stream(Backing.values()).map(Backing::label).toList(), List.of(Series.bars("Weft", false, seconds))))
        .note(Hpbd.scaleNote())
        .note(String.format(Locale.ROOT, "memory used, scaled back: %.0f MB (the paper observed 516)",
            program.usedWords() * (double) Hpbd.SCALE / WORDS_PER_MB))
        .note("the paper's memory grows up to that size, ours has it from the first step on and walks all of it in every step, in about 480 MB"
            + " that the kernel leaves: an approximation of LRU then evicts what is needed next, so ours swaps more than the paper's, whose"
            + " gains it calls less evident than quicksort's. The text does not say how fast the memory grew, nor how many steps there were")
        .note("the text of seed 001 gives no numbers for Figure 9 and no time in local memory, so an interaction's cost is an"
            + " estimate of " + PS_PER_INTERACTION / 1000 + " ns; over local memory: " + ratios(seconds));
  }

  private static String ratios(double[] seconds) {
    StringBuilder text = new StringBuilder();
    for (Backing backing : Backing.values()) {
      if (backing != Backing.LOCAL) {
        text.append(text.isEmpty() ? "" : ", ").append(backing.label())
            .append(String.format(Locale.ROOT, " %.2f", seconds[backing.ordinal()] / seconds[Backing.LOCAL.ordinal()]));
      }
    }
    return text.toString();
  }
}
