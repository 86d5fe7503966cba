/**
 * {@code weft perftest}: measures latency and bandwidth of each verb, in the columns of the perftest package. The near side
 * sends the requests ({@code PerfRunner}). The far side is a service that any node can offer ({@link dev.weft.perftest.PerfService}), in
 * this JVM or another. Begin with {@link dev.weft.perftest.PerftestCommand}. The state of each side belongs to one thread: the hardware
 * thread or, with {@code --context polling}, an application thread of the near side.
 */
package dev.weft.perftest;
