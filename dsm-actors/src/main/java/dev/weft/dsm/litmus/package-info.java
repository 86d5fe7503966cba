/**
 * Programs that show whether shared memory is sequentially consistent (seed 000): litmus tests, whose forbidden outcomes are derived from what they
 * are, and mutual exclusion that needs sequential consistency and nothing else. {@link dev.weft.dsm.litmus.LitmusShapes} has the shapes,
 * {@link dev.weft.dsm.litmus.LitmusRun} plays them, {@link dev.weft.dsm.litmus.MutexRun} lets threads exclude each other.
 *
 * <p>Invariants: nothing here knows time, or starts a thread but through {@link dev.weft.dsm.litmus.AtOnce}, or waits but through
 * {@link dev.weft.dsm.litmus.Backoff} and the barriers of the shared memory, so that all of it runs in virtual time as well. What a thread
 * does depends on the seed and on what it reads. Results are collected in the JVM's own memory, not in the memory that is tested.
 */
package dev.weft.dsm.litmus;
