package dev.weft.lab.hosts;

/**
 * How the processors of a host have spent their time. Times are in nanoseconds, summed over processors; the rest was idle.
 *
 * @param cores processors
 * @param elapsedNs time since the start
 * @param interruptNs in interrupt service routines, including latency
 * @param softirqNs in task queues
 * @param processNs in processes, including spinning
 * @param switchNs choosing and switching processes
 * @param interrupts interrupts taken
 * @param softirqs task queue entries run
 * @param switches how often a process got a processor
 * @param preemptions how many of these took the processor from another process that still wanted it
 * @param waiting processes that now wait for a processor
 */
public record CpuStats(int cores, long elapsedNs, long interruptNs, long softirqNs, long processNs, long switchNs, long interrupts,
    long softirqs, long switches, long preemptions, int waiting) {}
