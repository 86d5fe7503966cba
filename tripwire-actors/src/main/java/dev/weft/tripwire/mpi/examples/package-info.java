/**
 * Programs of message passing that verify their own results. Begin with {@link dev.weft.tripwire.mpi.examples.Example};
 * {@link dev.weft.tripwire.mpi.examples.Examples} lists them.
 */
package dev.weft.tripwire.mpi.examples;
