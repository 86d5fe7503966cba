/**
 * {@code weft mpi}: programs of message passing over the CLAN NIC (CLAN, section 6.3), in one JVM or several. Begin with
 * {@link dev.weft.lab.trials.mpi.command.MpiCommand}.
 */
package dev.weft.lab.trials.mpi.command;
