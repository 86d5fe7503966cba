/**
 * The simulation of the transport under faults. One seed draws a fabric, queue pairs, a workload and faults. The simulation runs them in virtual
 * time, and checks the outcome against models. The models do not know the internals of the transport: they use only the public verbs interface and
 * snapshots. Begin with {@link dev.weft.lab.sim.rc.RcWorkload}.
 *
 * <p>Everything is drawn from the seed before the run starts, except atomics' operands and pauses, which each queue pair draws from a stream of its
 * own. Not simulated: the Java memory model, the kernel, real disks, trunks between JVMs.
 */
package dev.weft.lab.sim.rc;
