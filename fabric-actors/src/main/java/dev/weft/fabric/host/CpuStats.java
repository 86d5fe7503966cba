package dev.weft.fabric.host;

/**
 * How the processors of a host spent their time so far. Times in nanoseconds, summed over processors; the rest was idle.
 *
 * @param cores processors
 * @param elapsedNs time since the start
 * @param interruptNs in interrupt service routines, latency included
 * @param softirqNs in task queues
 * @param processNs in processes, spinning included
 * @param switchNs choosing and switching processes
 * @param interrupts interrupts taken
 * @param softirqs task queue entries run
 * @param switches times that a process got a processor
 * @param preemptions of these, from another that wanted it still
 * @param waiting processes that wait for a processor now
 */
public record CpuStats(int cores, long elapsedNs, long interruptNs, long softirqNs, long processNs, long switchNs, long interrupts,
    long softirqs, long switches, long preemptions, int waiting) {}
