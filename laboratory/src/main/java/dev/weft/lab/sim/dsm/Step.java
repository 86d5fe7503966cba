package dev.weft.lab.sim.dsm;

/**
 * One step of a thread's program.
 *
 * @param object index of the array or of the lock
 * @param index first element, or number of the block
 * @param count elements
 * @param amountNs how long it holds a lock, or waits at most for one, or for a signal
 * @param isForAll whether a signal is for all that wait
 * @param pauseNs what the thread computes before it
 */
record Step(OpKind kind, int object, int index, int count, long amountNs, boolean isForAll, long pauseNs) {}
