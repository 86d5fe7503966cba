package dev.weft.lab.seed002;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Derivation;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import java.util.List;
import java.util.Map;

/** Table 3 of seed 002: how fast a local file system is, as far as the hardware profile charges for it. */
public final class LocalFilesExperiment extends NamedExperiment {
  private static final long BYTES = 64L << 20;
  private static final double MB = 1 << 20;

  public LocalFilesExperiment() {
    super("local-files", "seed 002 Table 3: sequential bandwidth of the local disk's file system, and of reading from memory", "ib-2003-xeon",
        List.of("pvfs.fs.ext3.write", "pvfs.fs.ext3.read", "pvfs.fs.ramfs.read"));
  }

  /** No file system runs. */
  @Override
  public Map<String, Derivation> derived() {
    String how = "the profile's rate";
    return Map.of("pvfs.fs.ext3.write", Derivation.of(how, "disk.write-bandwidth"), "pvfs.fs.ext3.read",
        Derivation.of(how, "disk.read-bandwidth"), "pvfs.fs.ramfs.read", Derivation.of(how, "memory.copy-bandwidth"));
  }

  @Override
  public Findings run(Setting setting) {
    HardwareProfile profile = HardwareProfile.load(setting.profile());
    return new Findings()
        .row("pvfs.fs.ext3.write", rate(profile.disk().writeNs(BYTES)))
        .row("pvfs.fs.ext3.read", rate(profile.disk().readNs(BYTES)))
        .row("pvfs.fs.ramfs.read", rate(profile.memory().copyNs(BYTES)))
        .note("the profile is calibrated on these rows: what it charges for 64 MiB; no file system runs. pvfs.fs.ramfs.write is not charged for"
            + " by hardware profiles, only by the swapping model's server");
  }

  private static Measured rate(long ns) {
    return Measured.value(BYTES * 1e9 / MB / ns);
  }
}
