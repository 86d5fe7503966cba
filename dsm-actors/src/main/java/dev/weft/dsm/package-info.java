/**
 * Sequentially consistent shared memory for threads of many nodes (Kernel DSM). Begin with {@link dev.weft.dsm.SharedSpace}: programs allocate arrays
 * by name there, and get locks and barriers. Each array is cut into minipages; a node has a readable copy of a minipage, or the only writable one.
 *
 * <p>Invariants: a minipage has one writable copy or any number of readable ones. All reads and writes of all threads have one order that keeps each
 * thread's program order, also in programs with data races; a read returns the value of the last write in that order.
 */
package dev.weft.dsm;
