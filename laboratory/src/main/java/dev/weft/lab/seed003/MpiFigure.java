package dev.weft.lab.seed003;

import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Tolerance;
import java.util.List;

/** Seed 003 section 6.3: round trip of message passing. */
public final class MpiFigure extends NamedExperiment {
  private static final int ROUNDS = 200;

  public MpiFigure() {
    super("clan-mpi", "seed 003 section 6.3: a word between two ranks of message passing", Clan.PROFILE, List.of("clan.mpi.rtt"));
  }

  @Override
  public Tolerance tolerance(String row) {
    return Clan.TOLERANCE;
  }

  @Override
  public Findings run(Setting setting) {
    return new Findings()
        .row("clan.mpi.rtt", Measured.value(MpiExperiment.roundTripNs(Clan.profile(setting), setting.seed(), ROUNDS) / 1e3))
        .note("the network and the looks at memory are charged; the software of message passing is not, and no row of the paper says what LAM"
            + " costs: what is missing to the paper's time is that");
  }
}
