/** Message passing of seed 003. */
package dev.weft.launcher.repro.mpi;
