/**
 * Message passing over the CLAN NIC (seed 003 section 6.3). {@link dev.weft.tripwire.mpi.Communicator} has the names of MPI; below it is
 * {@link dev.weft.tripwire.mpi.Rpi}, the nine functions of a transport, and {@link dev.weft.tripwire.mpi.ClanRpi}, which implements them
 * with apertures.
 *
 * <p>All that crosses the network is writes. Memory is bounded: each rank has a ring for every other, an allowance of bytes for messages
 * that nobody has asked for yet, and a number of requests; what does not fit is announced and fetched later, or waits at its sender.
 * Messages of one pair, communicator and tag do not overtake each other. A lost rank fails everything that would wait; nothing hangs.
 *
 * <p>A rank is used by one thread. The ranks of a job trust each other: each may write the inboxes of all.
 */
package dev.weft.tripwire.mpi;
