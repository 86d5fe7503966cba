package dev.weft.tripwire.mpi;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * What message passing wants of a network: nine functions, after the request progression interface of LAM (seed 003 section 6.3). Requests
 * live through build, start, advance until they are done, destroy; a request that was built may be started again when it is done. One
 * thread.
 */
public interface Rpi {
  /** Opens what this rank needs, before the others can be reached. */
  void init(int rank, int size);

  /**
   * Connects to the ranks of the job, whose nodes have these names in the order of ranks.
   *
   * @throws MpiException PROC_FAILED if one does not come in time
   */
  void addProcs(List<String> nodes);

  /**
   * A request is made; nothing moves yet.
   *
   * @throws MpiException NO_MEM if there are too many
   */
  void build(Request request);

  /** A request that was built may move. */
  void start(Request request);

  /**
   * Moves all requests that were started.
   *
   * @param mayWait whether to wait, if nothing can move, until something can
   * @throws MpiException INTERRUPTED if interrupted while waiting
   */
  void advance(boolean mayWait);

  /** The oldest message that a receive with these arguments would get, null if there is none now; it stays. */
  MpiStatus iprobe(int source, int tag, int context);

  /** Sends a message without a request, if that can be done at once; false if nothing was sent. */
  boolean fastSend(MemorySegment buffer, int dest, int tag, int context);

  /** A request will not be started again; one that is not done is given up. */
  void destroy(Request request);

  /** Gives everything back. Messages that were not received are lost. */
  void finish();
}
