package dev.weft.lab.seed000;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Derivation;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Table;
import dev.weft.lab.seed000.shared.ProgramCosts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Section 5.1 of seed 000: what the memory manager takes to change protections, beside the operating system. Both follow from what is assumed. */
public final class ProtectionExperiment extends NamedExperiment {
  private static final int[] PAGES = {1, 2, 4, 8, 16, 32};
  private static final int LEAST_GROUP = 16;
  private static final double NS_PER_US = 1e3;

  public ProtectionExperiment() {
    super("dsm-protection", "seed 000 5.1: page protection by the memory manager and by the operating system", "ib-2003-p3",
        List.of("dsm.protect.single", "dsm.protect.group"));
  }

  @Override
  public Map<String, Derivation> derived() {
    String how = "a quotient of assumed costs: one call of the manager over a system call and a change for each page";
    return Map.of("dsm.protect.single", Derivation.of(how, "memory.protect", "memory.protect-page", "cpu.system-call", Derivation.MODEL),
        "dsm.protect.group", Derivation.of(how, "memory.protect", "memory.protect-page", "cpu.system-call", Derivation.MODEL));
  }

  @Override
  public Findings run(Setting setting) {
    HardwareProfile hardware = HardwareProfile.load(setting.profile());
    ProgramCosts costs = ProgramCosts.load(setting.profile());
    Findings findings = new Findings();
    List<List<Object>> lines = new ArrayList<>();
    for (int pages : PAGES) {
      double manager = costs.managerNs(pages, 1);
      double system = (double) pages * (hardware.cpu().systemCallNs() + hardware.memory().protectionNs(hardware.memory().pageBytes()));
      lines.add(List.of((double) pages, manager / NS_PER_US, system / NS_PER_US, system / manager));
      if (pages == 1) {
        findings.row("dsm.protect.single", Measured.value(manager / system));
      }
      if (pages == LEAST_GROUP) {
        findings.row("dsm.protect.group", Measured.atLeast(system / manager));
      }
    }
    return findings.table(new Table("change of protection in us", List.of("pages", "memory manager", "operating system", "ratio"), lines))
        .note("both are prices that simulated hosts charge; none was measured, and no run could make them differ");
  }
}
