/** The experiments of seed 001: remote memory as a swap device (HPBD), against local memory, a disk and NBD over TCP. */
package dev.weft.launcher.repro.hpbd;
