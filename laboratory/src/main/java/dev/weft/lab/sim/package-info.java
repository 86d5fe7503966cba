/** {@code weft sim}: workloads in deterministic virtual time, over a range of seeds. Begin with {@link dev.weft.lab.sim.SimCommand}. */
package dev.weft.lab.sim;
