/** Programs of message passing that check their own results. */
package dev.weft.tripwire.mpi.examples;
