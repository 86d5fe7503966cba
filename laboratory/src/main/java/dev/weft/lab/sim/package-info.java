/** {@code weft sim}: workloads in deterministic virtual time, over a range of seeds. */
package dev.weft.lab.sim;
