package dev.weft.lab.seed002.files;

import dev.weft.lab.figures.Calibration;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Tolerance;
import java.util.List;

/** What the experiments with the parallel file system have in common. */
abstract class FileExperiment extends NamedExperiment {
  static final String TCP_CHOICE = "TCP as messages of 32 KiB, each answered, whose costs the client's or the daemon's one thread pays";
  private static final double MB = 1 << 20;

  FileExperiment(String name, String title, List<String> rows) {
    super(name, title, "ib-2003-xeon", rows);
  }

  @Override
  public Tolerance tolerance(String row) {
    return Tolerance.relative(0.2);
  }

  @Override
  public final Findings run(Setting setting) {
    return run(HardwareProfile.load(setting.profile()), setting);
  }

  abstract Findings run(HardwareProfile profile, Setting setting);

  /** A file system in memory. */
  static Files ramfs(Setting setting) {
    return files(setting.calibration(), "pvfs.fs.ramfs.read", "pvfs.fs.ramfs.write");
  }

  /** One on a disk. */
  static Files ext3(Setting setting) {
    return files(setting.calibration(), "pvfs.fs.ext3.read", "pvfs.fs.ext3.write");
  }

  private static Files files(Calibration rows, String read, String write) {
    return new Files(rows.value(read) * MB, rows.value(write) * MB);
  }
}
