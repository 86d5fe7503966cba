/**
 * Programs of message passing that verify their own results. Begin with {@link dev.weft.lab.trials.mpi.Example};
 * {@link dev.weft.lab.trials.mpi.Examples} lists them.
 */
package dev.weft.lab.trials.mpi;
