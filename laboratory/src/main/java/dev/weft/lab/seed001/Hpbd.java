package dev.weft.lab.seed001;

import dev.weft.lab.hosts.SwapProfile;
import dev.weft.lab.repro.Derivation;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Tolerance;
import java.util.List;

/** What the experiments of seed 001 section 6 share: sizes, scale, and programs that take the calibrated time in local memory. */
final class Hpbd {
  static final String PROFILE = "ib-2005-xeon";
  /** Memory, swap area and programs are smaller by this; pages, requests and costs are not, and times are multiplied again. */
  static final int SCALE = 64;
  /** Ints of testswap and of quicksort: 1 GB. */
  static final int WORDS = 1 << 28;
  static final int LOCAL_MB = 512;
  static final int SWAP_MB = 1024;
  /** Within what a run of one server has to be. */
  static final Tolerance ONE_SERVER_TOLERANCE = Tolerance.relative(0.2);
  private static final int PAGE_WORDS = 1024;
  private static final double NS_PER_SECOND = 1e9;

  private Hpbd() {}

  static SwapProfile profile(Setting setting) {
    return SwapProfile.load(setting.profile(), setting.calibration());
  }

  static Machine machine(Backing backing, int memoryMb) {
    return new Machine(backing, memoryMb, SWAP_MB, 1, SCALE, false);
  }

  static SwapRun run(SwapProfile profile, Machine machine, Setting setting, Program... programs) {
    return SwapRun.of(profile, machine, setting.seed(), List.of(programs));
  }

  /** Of the row whose time in local memory a program is made to take. */
  static Derivation itself(String row) {
    return Derivation.of("the program's steps are made to cost what takes this time in local memory", row);
  }

  /** testswap that takes the time of row hpbd.testswap.local in local memory. */
  static SequentialWrite testswap(SwapProfile profile, Setting setting) {
    int words = WORDS / SCALE;
    double localNs = setting.calibration().value("hpbd.testswap.local") * NS_PER_SECOND / SCALE;
    return new SequentialWrite(words, psPerStep(profile, localNs, words, words));
  }

  /** Makes quicksorts that take the time of row hpbd.qsort.local in local memory. */
  static final class Sorter {
    private final SwapProfile profile;
    private final Setting setting;
    private final double localNs;

    Sorter(SwapProfile profile, Setting setting) {
      this.profile = profile;
      this.setting = setting;
      this.localNs = setting.calibration().value("hpbd.qsort.local") * NS_PER_SECOND / SCALE;
    }

    /** The {@code number}-th sort; each has random ints of its own. */
    QuickSort sort(int number) {
      int words = WORDS / SCALE;
      long seed = setting.seed() * 31 + number;
      QuickSort counting = new QuickSort(words, seed, 0);
      run(profile, machine(Backing.LOCAL, LOCAL_MB), setting, counting);
      return new QuickSort(words, seed, psPerStep(profile, localNs, words, counting.compares()));
    }
  }

  private static long psPerStep(SwapProfile profile, double localNs, int words, long steps) {
    double faultsNs = (double) words / PAGE_WORDS * profile.us("kernel.fault");
    return Math.round((localNs - faultsNs) * 1000 / steps);
  }

  static String scaleNote() {
    return "scale " + SCALE + ": memory, swap area and data are " + SCALE + " times smaller than the paper's, pages and requests"
        + " are not; times are multiplied by " + SCALE;
  }
}
