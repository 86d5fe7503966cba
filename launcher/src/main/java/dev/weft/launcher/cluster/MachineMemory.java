package dev.weft.launcher.cluster;

import com.sun.management.OperatingSystemMXBean;
import dev.weft.launcher.CommandFailure;
import java.lang.management.ManagementFactory;

/** Refuses to offer memory that this machine does not have: it is all touched at start. */
final class MachineMemory {
  private static final double OFFERED_MAX = 0.9;

  private MachineMemory() {}

  static void check(long wantedBytes) {
    OperatingSystemMXBean machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long totalBytes = machine.getTotalMemorySize();
    if (wantedBytes > totalBytes * OFFERED_MAX) {
      throw new CommandFailure("the memory servers would take " + (wantedBytes >> 20) + " MiB, this machine has "
          + (totalBytes >> 20) + " MiB; choose a smaller --memory or fewer --servers");
    }
  }
}
