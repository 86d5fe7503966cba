/**
 * {@code weft mpi}: programs of message passing over the CLAN NIC (CLAN, section 6.3), in one JVM or several. Begin with
 * {@link dev.weft.tripwire.mpi.command.MpiService}.
 */
package dev.weft.tripwire.mpi.command;
