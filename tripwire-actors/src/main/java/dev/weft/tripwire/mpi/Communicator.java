package dev.weft.tripwire.mpi;

import java.lang.foreign.MemorySegment;

/**
 * The ranks of a job, and the messages among them; names and meaning are those of MPI. A buffer is memory of any kind, whole: its size is
 * the length of the message, or for a receive the most that it takes. Long messages that lie in native memory which is not confined to a
 * thread, see {@link Mpi#allocate}, are written from there to there by the hardware; others are copied on the way.
 *
 * <p>By the thread of the rank. Collective calls are made by all ranks in the same order. What fails throws {@link MpiException}; after
 * PROC_FAILED or NETWORK everything fails.
 */
public final class Communicator {
  /** A receive from whoever sends. */
  public static final int ANY_SOURCE = -1;
  /** A receive of whatever tag. */
  public static final int ANY_TAG = -1;

  private final Rpi rpi;
  private final int rank;
  private final int size;
  private final int context;
  private final int[] nextContext;
  private final Collectives collectives;

  Communicator(Rpi rpi, int rank, int size, int[] nextContext) {
    this.rpi = rpi;
    this.rank = rank;
    this.size = size;
    this.nextContext = nextContext;
    context = nextContext[0];
    nextContext[0] += 2; // The second is for collective operations, so that they never meet other messages.
    collectives = new Collectives(this);
  }

  /** This process's number, from 0. */
  public int rank() {
    return rank;
  }

  /** How many there are. */
  public int size() {
    return size;
  }

  /** The same ranks, but their messages do not meet those of this communicator. Collective. */
  public Communicator dup() {
    Communicator copy = new Communicator(rpi, rank, size, nextContext);
    barrier();
    return copy;
  }

  void checkRank(int peer) {
    if (peer < 0 || peer >= size) {
      throw new MpiException(ErrorClass.RANK, "rank " + peer + " of " + size + "; want 0 to " + (size - 1));
    }
  }

  private void checkSource(int source, int tag) {
    if (source != ANY_SOURCE) {
      checkRank(source);
    }
    if (tag < 0 && tag != ANY_TAG) {
      throw new MpiException(ErrorClass.TAG, "tag " + tag + "; want 0 or more, or ANY_TAG");
    }
  }

  private static void checkBuffer(MemorySegment buffer) {
    if (buffer.byteSize() > Integer.MAX_VALUE) {
      throw new MpiException(ErrorClass.BUFFER, "a buffer of " + buffer.byteSize() + " bytes; a message has at most " + Integer.MAX_VALUE);
    }
  }

  private void checkDest(int dest, int tag) {
    checkRank(dest);
    if (tag < 0) {
      throw new MpiException(ErrorClass.TAG, "tag " + tag + "; want 0 or more");
    }
  }

  // From one rank to another.

  /** Sends; returns when the buffer may be used again, which may be before anybody has received it. */
  public void send(MemorySegment buffer, int dest, int tag) {
    checkDest(dest, tag);
    sendIn(context, buffer, dest, tag);
  }

  void sendIn(int inContext, MemorySegment buffer, int dest, int tag) {
    checkBuffer(buffer);
    if (!rpi.fastSend(buffer, dest, tag, inContext)) {
      begin(Request.Kind.SEND, buffer, dest, tag, inContext).waitFor();
    }
  }

  /** Receives, into the beginning of the buffer; {@link #ANY_SOURCE} and {@link #ANY_TAG} take whatever comes first. */
  public MpiStatus recv(MemorySegment buffer, int source, int tag) {
    return irecv(buffer, source, tag).waitFor();
  }

  /** Begins to send; the buffer must not change before the request is done. */
  public Request isend(MemorySegment buffer, int dest, int tag) {
    checkDest(dest, tag);
    return begin(Request.Kind.SEND, buffer, dest, tag, context);
  }

  /** Begins to receive; the buffer must not be used before the request is done. */
  public Request irecv(MemorySegment buffer, int source, int tag) {
    checkSource(source, tag);
    return begin(Request.Kind.RECEIVE, buffer, source, tag, context);
  }

  private Request begin(Request.Kind kind, MemorySegment buffer, int peer, int tag, int inContext) {
    checkBuffer(buffer);
    Request request = new Request(rpi, kind, buffer, peer, tag, inContext);
    rpi.build(request);
    try {
      rpi.start(request);
    } catch (RuntimeException refused) {
      rpi.destroy(request);
      throw refused;
    }
    return request;
  }

  /** Sends and receives at the same time. */
  public MpiStatus sendrecv(MemorySegment send, int dest, int sendTag, MemorySegment receive, int source, int receiveTag) {
    checkDest(dest, sendTag);
    checkSource(source, receiveTag);
    return exchange(context, send, dest, sendTag, receive, source, receiveTag);
  }

  private MpiStatus exchange(int inContext, MemorySegment send, int dest, int sendTag, MemorySegment receive, int source, int receiveTag) {
    Request incoming = begin(Request.Kind.RECEIVE, receive, source, receiveTag, inContext);
    sendIn(inContext, send, dest, sendTag);
    return incoming.waitFor();
  }

  /** Waits for a message that a receive with these arguments would get; it stays. */
  public MpiStatus probe(int source, int tag) {
    MpiStatus status = iprobe(source, tag);
    while (status == null) {
      rpi.advance(true);
      status = iprobe(source, tag);
    }
    return status;
  }

  /** The message that a receive with these arguments would get, null if there is none now; it stays. */
  public MpiStatus iprobe(int source, int tag) {
    checkSource(source, tag);
    return rpi.iprobe(source, tag, context);
  }

  // For the collective operations.

  void collectiveSend(MemorySegment buffer, int dest) {
    sendIn(context + 1, buffer, dest, 0);
  }

  /** Receives exactly as many bytes as the buffer has. */
  void collectiveRecv(MemorySegment buffer, int source) {
    exact(begin(Request.Kind.RECEIVE, buffer, source, 0, context + 1).waitFor(), buffer);
  }

  void collectiveExchange(MemorySegment send, int dest, MemorySegment receive, int source) {
    exact(exchange(context + 1, send, dest, 0, receive, source, 0), receive);
  }

  private static void exact(MpiStatus status, MemorySegment buffer) {
    if (status.bytes() != buffer.byteSize()) {
      throw new MpiException(ErrorClass.BUFFER, "rank " + status.source() + " takes part with " + status.bytes() + " bytes, this rank with "
          + buffer.byteSize());
    }
  }

  // All together.

  /** Returns when all ranks have called it. */
  public void barrier() {
    collectives.barrier();
  }

  /** All buffers become that of {@code root}. */
  public void bcast(MemorySegment buffer, int root) {
    checkRank(root);
    collectives.bcast(buffer, root);
  }

  /** {@code receive} of {@code root}, which others may give as null, becomes the combination of {@code send} of all, element by element. */
  public void reduce(MemorySegment send, MemorySegment receive, Datatype type, Op op, int root) {
    checkRank(root);
    collectives.reduce(send, receive, type, op, root);
  }

  /** The same, and all get it; the same bits everywhere. */
  public void allreduce(MemorySegment send, MemorySegment receive, Datatype type, Op op) {
    collectives.reduce(send, receive, type, op, 0);
    collectives.bcast(receive, 0);
  }

  /** {@code receive} of {@code root}, which others may give as null, becomes the {@code send} of all, in the order of ranks. */
  public void gather(MemorySegment send, MemorySegment receive, int root) {
    checkRank(root);
    collectives.gather(send, receive, root);
  }

  /** The same, and all get it. */
  public void allgather(MemorySegment send, MemorySegment receive) {
    collectives.gather(send, receive, 0);
    collectives.bcast(receive, 0);
  }

  /** {@code receive} of each rank becomes its part of {@code send} of {@code root}, which others may give as null. */
  public void scatter(MemorySegment send, MemorySegment receive, int root) {
    checkRank(root);
    collectives.scatter(send, receive, root);
  }

  /** Part {@code j} of rank {@code i}'s {@code send} becomes part {@code i} of rank {@code j}'s {@code receive}; all parts of one size. */
  public void alltoall(MemorySegment send, MemorySegment receive) {
    collectives.alltoall(send, receive);
  }

  /**
   * The same with parts of any size, which lie one after the other.
   *
   * @param sendBytes sizes of the parts of {@code send}, one for each rank
   * @param receiveBytes sizes of the parts of {@code receive}
   */
  public void alltoallv(MemorySegment send, int[] sendBytes, MemorySegment receive, int[] receiveBytes) {
    collectives.alltoallv(send, sendBytes, receive, receiveBytes);
  }
}
