/**
 * Simulation of a whole pager cluster under faults. One seed draws nodes, memory servers, clients, a random block device workload and faults of ten
 * classes. The real actors run in virtual time. Checkers share no code with what they check: they see packets on cables, completions of device
 * requests, and snapshots. Begin with {@link dev.weft.lab.sim.pager.PagerWorkload}.
 *
 * <p>Not simulated: the Java memory model, the kernel, trunks between JVMs, the cluster (an oracle reports a crash after a while; connection
 * managers' messages are neither lost nor late).
 */
package dev.weft.lab.sim.pager;
