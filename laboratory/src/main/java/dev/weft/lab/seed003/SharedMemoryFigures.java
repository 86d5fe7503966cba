package dev.weft.lab.seed003;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import java.util.List;

/** Seed 003 section 5.2: a word there and back, the parts of its way, and DMA bandwidth. */
public final class SharedMemoryFigures extends NamedExperiment {
  private static final int ROUNDS = 200;
  private static final int DMA_BYTES = 1 << 20;

  public SharedMemoryFigures() {
    super("clan-memory", "seed 003 section 5.2: shared memory, PIO and DMA", Clan.PROFILE, List.of("clan.rtt.word", "clan.nic", "clan.switch",
        "clan.bus", "clan.bw.dma"));
  }

  @Override
  public Findings run(Setting setting) {
    return new Findings()
        .row("clan.rtt.word", Measured.value(2 * oneWayUs(Clan.profile(setting), setting)))
        .row("clan.nic", part(setting, "hca { send-packet = 0 us, receive-packet = 0 us }"))
        .row("clan.switch", part(setting, "switch.latency = 0 us"))
        .row("clan.bus", part(setting, "bus.transaction = 0 us"))
        .row("clan.bw.dma",
            Measured.value(SharedMemoryExperiment.dmaBitsPerSecond(Clan.profile(setting), setting.seed(), DMA_BYTES) / 1e6))
        .note("the parts are what a word's way gets shorter by without them");
  }

  private static Measured part(Setting setting, String without) {
    return Measured.value(Clan.part(setting, without, profile -> oneWayUs(profile, setting)));
  }

  private static double oneWayUs(HardwareProfile profile, Setting setting) {
    return SharedMemoryExperiment.wordRoundTripNs(profile, setting.seed(), ROUNDS) / 2e3;
  }
}
