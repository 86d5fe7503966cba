package dev.weft.lab.seed004;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Derivation;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Tolerance;
import dev.weft.lab.seed004.NetVmExperiment.Detection;
import java.util.List;
import java.util.Map;

/** The numbers of seed 004's abstract: writes to memory that is not pinned, notification, wait queues and semaphores. */
public final class NetVmFigures extends NamedExperiment {
  private static final int MESSAGE_BYTES = 1 << 20;
  private static final int MESSAGES = 8;

  public NetVmFigures() {
    super("netvm", "seed 004: unpinned writes, notification, pinning, wait queues and semaphores", "lanai9", List.of("netvm.write.latency",
        "netvm.write.bw", "netvm.write.share", "netvm.overhead", "netvm.pin", "netvm.notify.min", "netvm.notify.max", "netvm.waitqueue",
        "netvm.semaphore"));
  }

  @Override
  public Tolerance tolerance(String row) {
    return Tolerance.relative(0.15);
  }

  @Override
  public Map<String, Derivation> derived() {
    String software = "a wait queue and a semaphore that nobody waits for are one atomic each, and their software costs nothing";
    return Map.of(
        "netvm.write.share", Derivation.of("that row over the link's rate", "netvm.write.bw", "link.bits-per-second"),
        "netvm.overhead", Derivation.of("two translations, assumed, over the write's latency", "hca.translate", "netvm.write.latency"),
        "netvm.pin", Derivation.of("a translation, assumed, over registration and deregistration, assumed", "hca.translate",
            "memory.register", "memory.register-page", "memory.deregister", "memory.deregister-page"),
        "netvm.waitqueue", Derivation.of(software, Derivation.MODEL),
        "netvm.semaphore", Derivation.of(software, Derivation.MODEL));
  }

  @Override
  public Findings run(Setting setting) {
    HardwareProfile profile = HardwareProfile.load(setting.profile());
    long seed = setting.seed();
    double unpinned = NetVmExperiment.writeLatencyNs(profile, 4, true, seed);
    double pinned = NetVmExperiment.pinnedLatencyNs(profile, 4, seed);
    double rate = NetVmExperiment.bandwidth(profile, MESSAGE_BYTES, MESSAGES, seed);
    LockExperiment locks = LockExperiment.run(profile, seed);
    double semaphore = Math.max(locks.addedPercent(locks.down()), locks.addedPercent(locks.up()));
    return new Findings()
        .row("netvm.write.latency", Measured.value(unpinned / 1e3))
        .row("netvm.write.bw", Measured.value(rate / 1e6))
        .row("netvm.write.share", Measured.value(rate * 8 / profile.link().bandwidthBitsPerSecond() * 100))
        .row("netvm.overhead", Measured.atMost((unpinned - pinned) / pinned * 100))
        .row("netvm.pin", Measured.atLeast(NetVmExperiment.pinningBreakEven(profile) * 100))
        .row("netvm.notify.min", Measured.value(NetVmExperiment.notificationNs(profile, Detection.BUSY_WAIT, seed) / 1e3))
        .row("netvm.notify.max", Measured.value(NetVmExperiment.notificationNs(profile, Detection.BLOCKING_WAIT, seed) / 1e3))
        .row("netvm.waitqueue", Measured.atMost(locks.addedPercent(locks.wakeCall())))
        .row("netvm.semaphore", Measured.atMost(semaphore))
        .note("the price of translating a page is assumed, and added outside the simulation; the paper's numbers of wait queues and"
            + " semaphores are upper bounds of what applications saw");
  }
}
