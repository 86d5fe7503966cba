/**
 * Sequentially consistent shared memory for threads of many nodes (seed 000). What programs use: {@link dev.weft.dsm.SharedSpace}, in which they
 * allocate arrays by name, lock and meet; each array is cut into minipages, of which a node has a copy to read or the only one to write.
 *
 * <p>Invariants: of a minipage there is one writable copy or any number of readable ones; whoever reads gets the value of the last write in
 * one order of all reads and writes of all threads, in which each thread's stand as in its program, data races included.
 */
package dev.weft.dsm;
