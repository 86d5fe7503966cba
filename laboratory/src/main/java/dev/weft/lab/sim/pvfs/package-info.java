/**
 * File systems in virtual time: the real actors under faults, from a seed, checked against a model (docs/guides/simulation.md). Begin with
 * {@link dev.weft.lab.sim.pvfs.PvfsWorkload}, or {@link dev.weft.lab.sim.pvfs.AppendWorkload} for appends.
 */
package dev.weft.lab.sim.pvfs;
