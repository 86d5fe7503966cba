package dev.weft.hca.experiments;

import dev.weft.fabric.host.HardwareProfile;
import dev.weft.hca.experiments.ScaleExperiment.Setup;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

final class ScaleProbe {
  static long gcMs() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
  }

  static long used() {
    for (int i = 0; i < 3; i++) System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  public static void main(String[] args) {
    HardwareProfile p = HardwareProfile.load(System.getProperty("p", "modern"));
    var mx = ManagementFactory.getThreadMXBean();
    for (String arg : args) {
      String[] s = arg.split(":");
      int hosts = Integer.parseInt(s[0]);
      long messages = Long.parseLong(s[1]);
      long heap = used();
      long t0 = System.nanoTime(), c0 = mx.getCurrentThreadCpuTime();
      try (ScaleExperiment e = new ScaleExperiment(p, 1, Setup.of(hosts, messages))) {
        long t1 = System.nanoTime(), c1 = mx.getCurrentThreadCpuTime();
        long built = used();
        long g = gcMs();
        long t2 = System.nanoTime(), c2 = mx.getCurrentThreadCpuTime();
        var r = e.exchange();
        long t3 = System.nanoTime(), c3 = mx.getCurrentThreadCpuTime();
        g = gcMs() - g;
        long end = used();
        double cpu = (c3 - c2) / 1e9;
        System.out.printf("%d hosts: build %.2f s; %d events, %.1f/msg, wall %.2f cpu %.2f gc %.2f s; %.0f k ev/cpu-s, %.0f ns/ev (with gc %.0f); virtual %.2f ms; heap/host %.1f KB built, %.1f KB end; hash %x%n",
            hosts, (t1 - t0) / 1e9, r.events(), (double) r.events() / messages, (t3 - t2) / 1e9, cpu, g / 1e3,
            r.events() / cpu / 1e3, cpu * 1e9 / r.events(), (cpu + g / 1e3) * 1e9 / r.events(), r.virtualNs() / 1e6,
            (built - heap) / 1024.0 / hosts, (end - heap) / 1024.0 / hosts, r.traceHash());
      }
    }
  }
}
