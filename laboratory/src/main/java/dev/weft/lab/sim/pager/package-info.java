/**
 * Simulation of a whole pager cluster under faults: one seed draws nodes, memory servers, clients, a random block device workload and
 * faults of ten classes, runs the actors of real time in virtual time, and checks what came out with checkers that share nothing with
 * what they check: they see packets on cables, completions of device requests, and snapshots.
 *
 * <p>What it leaves out: the Java memory model, the kernel, trunks between JVMs, the cluster (a crash is told by an oracle, after a
 * while; connection managers' messages are neither lost nor late).
 */
package dev.weft.lab.sim.pager;
