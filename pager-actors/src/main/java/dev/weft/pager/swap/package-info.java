/**
 * A model of how Linux 2.4 swaps, in virtual time, to run programs in too little memory (seed 001 section 6): frames, second
 * chance, clusters of swap slots, read-ahead, water marks and write-back, over any {@link dev.weft.pager.BlockDevice}. The
 * programs are real code on {@link dev.weft.fabric.time.AppThread}s and their data really leaves for the device and comes
 * back. Devices are the very pager on a simulated fabric, and models of a disk and of NBD over TCP. For virtual time only.
 */
package dev.weft.pager.swap;
