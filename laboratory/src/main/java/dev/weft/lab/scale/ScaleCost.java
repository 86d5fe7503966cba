package dev.weft.lab.scale;

import dev.weft.lab.hosts.HardwareProfile;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * What one run of {@link ScaleExperiment} cost on this machine.
 *
 * @param hosts hosts
 * @param switches leaves and spines
 * @param messages messages that arrived, each once and with its bytes
 * @param virtualNs virtual time of the exchange
 * @param events events of the exchange: mailbox steps and timers
 * @param wallNs real time of the exchange
 * @param cpuNs processor time of the thread that ran the exchange, and all of the garbage collector's time meanwhile
 * @param collectorNs the latter
 * @param buildNs processor time of building and connecting the hosts
 * @param heapBytesPerHost heap that the built cluster keeps, by host, after a collection; before or after the exchange, whichever is more
 * @param nativeBytesPerHost memory that a host has registered, outside the heap
 * @param traceHash of the run, in hexadecimal
 */
record ScaleCost(int hosts, int switches, long messages, long virtualNs, long events, long wallNs, long cpuNs, long collectorNs,
    long buildNs, long heapBytesPerHost, long nativeBytesPerHost, String traceHash) {
  private static final int COLLECTIONS = 4;

  /** Runs one size on the calling thread. Heap is only measured right if nothing else of size happens in this JVM. */
  static ScaleCost measure(HardwareProfile profile, long seed, int hosts, long messages) {
    long heapBefore = heapInUse();
    long buildStartNs = threadCpuNs();
    try (ScaleExperiment experiment = new ScaleExperiment(profile, seed, ScaleExperiment.Setup.of(hosts, messages))) {
      long buildNs = threadCpuNs() - buildStartNs;
      long heapBuilt = heapInUse();
      long collectorStartNs = collectorTimeNs();
      long wallStartNs = System.nanoTime();
      long cpuStartNs = threadCpuNs();
      ScaleExperiment.Result result = experiment.exchange();
      long cpuNs = threadCpuNs() - cpuStartNs;
      long wallNs = System.nanoTime() - wallStartNs;
      long collectorNs = collectorTimeNs() - collectorStartNs;
      long heap = Math.max(heapBuilt, heapInUse()) - heapBefore;
      return new ScaleCost(hosts, result.switches(), result.rcMessages() + result.udMessages(), result.virtualNs(), result.events(),
          wallNs, cpuNs + collectorNs, collectorNs, buildNs, heap / hosts, result.registeredBytesPerHost(),
          Long.toHexString(result.traceHash()));
    }
  }

  double nsPerEvent() {
    return (double) cpuNs / events;
  }

  /** By second of processor time. */
  double eventsPerSecond() {
    return 1e9 / nsPerEvent();
  }

  private static long threadCpuNs() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static long collectorTimeNs() {
    long ms = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      ms += collector.getCollectionTime();
    }
    return TimeUnit.MILLISECONDS.toNanos(ms);
  }

  /** After so many collections that what has to be finalised first, or was reached from that, is gone too. */
  private static long heapInUse() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
