/**
 * Programs that show whether shared memory is sequentially consistent (Kernel DSM): litmus tests, whose forbidden outcomes are derived from their
 * shapes, and mutual exclusion that needs nothing but sequential consistency. {@link dev.weft.lab.trials.dsm.litmus.LitmusShapes} has the shapes,
 * {@link dev.weft.lab.trials.dsm.litmus.LitmusRun} plays them, {@link dev.weft.lab.trials.dsm.litmus.MutexRun} runs mutual exclusion.
 *
 * <p>Invariants: no code here reads a clock, starts a thread other than through {@link dev.weft.lab.trials.dsm.litmus.AtOnce}, or waits other than through
 * {@link dev.weft.lab.trials.dsm.litmus.Backoff} and the barriers of the shared memory, so all of it runs in virtual time as well. The actions of a thread
 * depend only on the seed and on the values that it reads. If all threads are in one JVM, results are collected in its own memory, not in the memory
 * under test; results of several JVMs pass through shared memory, after a barrier.
 */
package dev.weft.lab.trials.dsm.litmus;
