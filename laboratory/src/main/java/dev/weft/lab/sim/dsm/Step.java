package dev.weft.lab.sim.dsm;

/**
 * One step of a thread's program.
 *
 * @param object index of the array or of the lock
 * @param index first element, or number of the block
 * @param count number of elements
 * @param amountNs how long it holds a lock, or the longest wait for a lock or a signal
 * @param isForAll whether a signal is for all waiting threads
 * @param pauseNs computing time before the step
 */
record Step(OpKind kind, int object, int index, int count, long amountNs, boolean isForAll, long pauseNs) {}
