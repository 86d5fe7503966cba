package dev.weft.fabric.dispatch;

/**
 * Counters of a hardware dispatcher since its start, read without synchronization, so slightly out of date.
 *
 * @param tasksRun mailboxes and other tasks
 * @param polls calls of pollers
 * @param timersFired timers that were due
 * @param parks sleeps of the dedicated thread
 * @param helpedNs time for which helpers owned the dispatcher
 * @param localHighWater longest local queue at the start of a cycle
 * @param foreignHighWater longest queue of other threads' tasks
 */
public record HardwareDispatcherStats(
    long tasksRun,
    long polls,
    long timersFired,
    long parks,
    long helpedNs,
    int localHighWater,
    int foreignHighWater) {}
