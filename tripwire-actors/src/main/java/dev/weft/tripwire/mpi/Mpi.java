package dev.weft.tripwire.mpi;

import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * One rank of a job, from {@link #init} to {@link #close}, which are MPI_Init and MPI_Finalize. Used by the thread of the rank, except
 * {@link #abort}.
 */
public final class Mpi implements AutoCloseable {
  private final ClanRpi rpi;
  private final Communicator world;
  private volatile boolean ended;

  private Mpi(ClanRpi rpi, int rank, int size) {
    this.rpi = rpi;
    world = new Communicator(rpi, rank, size, new int[1]);
  }

  /**
   * Joins a job; returns when all its ranks have joined.
   *
   * @param nic NIC of this rank; a NIC carries one rank
   * @param waiting how this rank waits
   * @param nodes names of the nodes of all ranks, in the order of ranks
   * @throws MpiException PROC_FAILED if a rank does not join within {@code weft.tripwire.mpi.start-timeout}
   */
  public static Mpi init(Nic nic, Waiting waiting, MpiSettings settings, int rank, List<String> nodes) {
    ClanRpi rpi = new ClanRpi(nic, waiting, settings);
    rpi.init(rank, nodes.size());
    try {
      rpi.addProcs(nodes);
    } catch (RuntimeException failed) {
      rpi.close();
      throw failed;
    }
    return new Mpi(rpi, rank, nodes.size());
  }

  /** All ranks of the job: MPI_COMM_WORLD. */
  public Communicator world() {
    return world;
  }

  /** Memory that suits every message: MPI_Alloc_mem. Freed when it is no longer reachable. */
  public static MemorySegment allocate(long bytes) {
    return Arena.ofAuto().allocate(bytes, 64);
  }

  /** Ends the job for this rank: its calls fail with PROC_FAILED, and the others are notified. Any thread. */
  public void abort(String reason) {
    rpi.abort(reason);
  }

  /** Gives up: notifies the others, and waits for nothing. Called by the thread of the rank, in place of {@link #close}. */
  public void giveUp() {
    if (!ended) {
      ended = true;
      rpi.giveUp();
    }
  }

  /**
   * Leaves together with all other ranks: MPI_Finalize. Collective; every rank must have received its messages.
   *
   * @throws MpiException PROC_FAILED if a rank is lost
   */
  @Override
  public void close() {
    if (!ended) {
      ended = true;
      rpi.finish();
    }
  }
}
