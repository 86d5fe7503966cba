/**
 * Message passing over the CLAN NIC (CLAN, section 6.3). {@link dev.weft.tripwire.mpi.Mpi} is a rank, {@link dev.weft.tripwire.mpi.Communicator} has
 * the operations of MPI. Below them are {@link dev.weft.tripwire.mpi.Rpi}, the nine functions of a transport, and
 * {@link dev.weft.tripwire.mpi.ClanRpi}, which implements them with apertures.
 *
 * <p>All network traffic is writes. Memory is bounded: each rank has a ring for every other rank, an allowance of bytes for unexpected messages, and
 * a number of requests. A message that does not fit is announced and fetched later, or waits at its sender. Messages of one pair, communicator and
 * tag do not overtake each other. If a rank is lost, all waits fail; none hangs.
 *
 * <p>One thread uses a rank. The ranks of a job trust each other: each may write the inboxes of all.
 */
package dev.weft.tripwire.mpi;
