package dev.weft.tripwire.mpi;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The network interface of message passing: nine functions, after the request progression interface of LAM (CLAN, section 6.3). A request goes
 * through build, start, advance until it is done, and destroy; a built request may be started again when it is done. One thread.
 */
public interface Rpi {
  /** Opens the resources of this rank, before the others can be reached. */
  void init(int rank, int size);

  /**
   * Connects to the ranks of the job, with their nodes' names in the order of ranks.
   *
   * @throws MpiException PROC_FAILED if a rank does not join in time
   */
  void addProcs(List<String> nodes);

  /**
   * Builds a request; nothing moves yet.
   *
   * @throws MpiException NO_MEM if there are too many
   */
  void build(Request request);

  /** Starts a built request. */
  void start(Request request);

  /**
   * Moves all started requests.
   *
   * @param mayWait whether to wait, if nothing can move, until something can
   * @throws MpiException INTERRUPTED if interrupted while waiting
   */
  void advance(boolean mayWait);

  /** The oldest message that a receive with these arguments would get, null if there is none now; the message stays. */
  MpiStatus iprobe(int source, int tag, int context);

  /** Sends a message without a request, if that is possible at once; returns false if nothing was sent. */
  boolean fastSend(MemorySegment buffer, int dest, int tag, int context);

  /** Ends a request, which will not be started again; an unfinished one is abandoned. */
  void destroy(Request request);

  /** Frees everything. Messages that were not received are lost. */
  void finish();
}
