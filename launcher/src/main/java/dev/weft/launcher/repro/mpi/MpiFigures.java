package dev.weft.launcher.repro.mpi;

import dev.weft.fabric.host.HardwareProfile;
import dev.weft.launcher.repro.Experiment;
import dev.weft.launcher.repro.Findings;
import dev.weft.launcher.repro.Measured;
import dev.weft.launcher.repro.Setting;
import dev.weft.launcher.repro.Tolerance;
import dev.weft.tripwire.experiments.MpiExperiment;
import java.util.List;

/** Seed 003 section 6.3: MPI over the CLAN NIC, both ranks spinning. */
public final class MpiFigures implements Experiment {
  private static final int ROUNDS = 200;

  @Override
  public String name() {
    return "clan-mpi";
  }

  @Override
  public String title() {
    return "seed 003 section 6.3: round trip of a message of one word";
  }

  @Override
  public String defaultProfile() {
    return "clan-alpha";
  }

  @Override
  public List<String> rows() {
    return List.of("clan.mpi.rtt");
  }

  @Override
  public Tolerance tolerance(String row) {
    return Tolerance.relative(0.15);
  }

  @Override
  public Findings run(Setting setting) {
    HardwareProfile profile = HardwareProfile.load(setting.profile());
    return new Findings()
        .row("clan.mpi.rtt", Measured.value(MpiExperiment.roundTripNs(profile, setting.seed(), ROUNDS) / 1e3))
        .note("the network and the looks of a rank that spins are charged; what the processor spends on making requests, on matching and "
            + "on LAM's layers above the transport is not: seed 003 has no number of it that a model could be calibrated on");
  }
}
