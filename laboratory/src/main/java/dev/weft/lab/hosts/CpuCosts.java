package dev.weft.lab.hosts;

import com.typesafe.config.Config;

/**
 * The costs of the processors of a host. All times are in nanoseconds.
 *
 * @param cores processors, 1 to 1024
 * @param interruptCore the processor that handles interrupts, 0 to cores - 1
 * @param interruptNs from a completion to the first instruction of its handler in an interrupt service routine
 * @param softirqNs from the end of that routine to the first instruction of a handler in a task queue
 * @param signalNs delivery of a signal to a process that has the processor
 * @param systemCallNs entry into and return from the system
 * @param schedulingNs the scheduler's choice and the switch to a process whose address space is still loaded
 * @param contextSwitchNs in addition, if another process has run on that processor since
 * @param pollNs one poll of a completion ring that finds a completion, including taking it
 * @param tickNs how much more credit a woken process needs to preempt a running one
 * @param timeSliceNs credit that a process gets when all credit is used up; a sleeping process gains up to twice that
 */
public record CpuCosts(int cores, int interruptCore, long interruptNs, long softirqNs, long signalNs, long systemCallNs,
    long schedulingNs, long contextSwitchNs, long pollNs, long tickNs, long timeSliceNs) {

  public CpuCosts {
    ProfileReader.check("cpu.cores", cores, 1, 1024);
    ProfileReader.check("cpu.interrupt-core", interruptCore, 0, cores - 1);
    ProfileReader.checkTime("cpu.interrupt", interruptNs);
    ProfileReader.checkTime("cpu.softirq", softirqNs);
    ProfileReader.checkTime("cpu.signal", signalNs);
    ProfileReader.checkTime("cpu.system-call", systemCallNs);
    ProfileReader.checkTime("cpu.scheduling", schedulingNs);
    ProfileReader.checkTime("cpu.context-switch", contextSwitchNs);
    ProfileReader.checkTime("cpu.poll", pollNs);
    ProfileReader.checkTime("cpu.tick", tickNs);
    ProfileReader.check("cpu.time-slice (in ns)", timeSliceNs, 1, ProfileReader.TIME_MAX_NS);
  }

  static CpuCosts from(Config c) {
    return new CpuCosts(c.getInt("cores"), c.getInt("interrupt-core"), ProfileReader.ns(c, "interrupt"),
        ProfileReader.ns(c, "softirq"), ProfileReader.ns(c, "signal"), ProfileReader.ns(c, "system-call"),
        ProfileReader.ns(c, "scheduling"), ProfileReader.ns(c, "context-switch"), ProfileReader.ns(c, "poll"),
        ProfileReader.ns(c, "tick"), ProfileReader.ns(c, "time-slice"));
  }
}
