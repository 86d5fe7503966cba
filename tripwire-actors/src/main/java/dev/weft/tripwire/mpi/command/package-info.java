/** {@code weft mpi}: programs of message passing over the CLAN NIC (seed 003 section 6.3), in one JVM or several. */
package dev.weft.tripwire.mpi.command;
