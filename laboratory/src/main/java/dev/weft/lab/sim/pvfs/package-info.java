/** File systems in virtual time: the actors of real time under faults, from a seed, against a model (docs/guides/simulation.md). */
package dev.weft.lab.sim.pvfs;
