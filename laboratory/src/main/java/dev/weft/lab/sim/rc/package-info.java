/**
 * The simulation of the transport under faults (feature F14): one seed draws a fabric, queue pairs, a workload and faults, runs
 * them in virtual time, and checks what came out against models that know nothing of the transport's internals: only the public verbs
 * interface and snapshots are used here.
 *
 * <p>Everything is drawn from the seed before the run starts, but for atomics' operands and pauses, which each queue pair draws from a
 * stream of its own. What a simulation leaves out: the Java memory model, the kernel, real disks, trunks between JVMs.
 */
package dev.weft.lab.sim.rc;
