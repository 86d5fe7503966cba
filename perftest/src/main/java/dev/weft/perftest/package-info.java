/**
 * {@code weft perftest}: latency and bandwidth of each verb, in the columns that users of the perftest package of rdma-core know. The
 * near side drives, the far side is a service that any node can offer ({@link dev.weft.perftest.PerfService}), in this JVM or
 * another. Each side's state belongs to one thread: the hardware thread, or with {@code --context polling} the near side's own.
 */
package dev.weft.perftest;
