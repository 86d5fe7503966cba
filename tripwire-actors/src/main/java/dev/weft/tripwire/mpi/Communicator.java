package dev.weft.tripwire.mpi;

import java.lang.foreign.MemorySegment;

/**
 * The ranks of a job, and the messages between them, with the names and semantics of MPI. A buffer is a whole memory segment of any kind: its size is
 * the length of the message, or for a receive the maximum length. The hardware writes long messages directly if both buffers are in native memory
 * that is not confined to a thread, see {@link Mpi#allocate}; otherwise they are copied.
 *
 * <p>Used by the thread of the rank. All ranks make collective calls in the same order. Failures throw {@link MpiException}; after PROC_FAILED or
 * NETWORK all calls fail.
 */
public final class Communicator {
  /** Receives from any rank. */
  public static final int ANY_SOURCE = -1;
  /** Receives any tag. */
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
    nextContext[0] += 2; // The second context is for collective operations, so that they never match other messages.
    collectives = new Collectives(this);
  }

  /** This rank's number, from 0. */
  public int rank() {
    return rank;
  }

  /** Number of ranks. */
  public int size() {
    return size;
  }

  /** A communicator of the same ranks, whose messages do not match those of this one. Collective. */
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

  /** Sends a message; returns when the buffer may be reused, which may be before the message is received. */
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

  /** Receives into the start of the buffer; {@link #ANY_SOURCE} and {@link #ANY_TAG} take the first message that arrives. */
  public MpiStatus recv(MemorySegment buffer, int source, int tag) {
    return irecv(buffer, source, tag).waitFor();
  }

  /** Starts to send; the buffer must not change until the request is done. */
  public Request isend(MemorySegment buffer, int dest, int tag) {
    checkDest(dest, tag);
    return begin(Request.Kind.SEND, buffer, dest, tag, context);
  }

  /** Starts to receive; the buffer must not be used until the request is done. */
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

  /** Waits for a message that a receive with these arguments would get; the message stays. */
  public MpiStatus probe(int source, int tag) {
    MpiStatus status = iprobe(source, tag);
    while (status == null) {
      rpi.advance(true);
      status = iprobe(source, tag);
    }
    return status;
  }

  /** The message that a receive with these arguments would get, null if there is none now; the message stays. */
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

  /** Copies the buffer of {@code root} to the buffers of all ranks. */
  public void bcast(MemorySegment buffer, int root) {
    checkRank(root);
    collectives.bcast(buffer, root);
  }

  /** Combines {@code send} of all ranks, element by element, into {@code receive} of {@code root}; other ranks may pass null for {@code receive}. */
  public void reduce(MemorySegment send, MemorySegment receive, Datatype type, Op op, int root) {
    checkRank(root);
    collectives.reduce(send, receive, type, op, root);
  }

  /** The same, with the result at all ranks; the same bits everywhere. */
  public void allreduce(MemorySegment send, MemorySegment receive, Datatype type, Op op) {
    collectives.reduce(send, receive, type, op, 0);
    collectives.bcast(receive, 0);
  }

  /** Collects {@code send} of all ranks, in the order of ranks, in {@code receive} of {@code root}; other ranks may pass null for {@code receive}. */
  public void gather(MemorySegment send, MemorySegment receive, int root) {
    checkRank(root);
    collectives.gather(send, receive, root);
  }

  /** The same, with the result at all ranks. */
  public void allgather(MemorySegment send, MemorySegment receive) {
    collectives.gather(send, receive, 0);
    collectives.bcast(receive, 0);
  }

  /** Copies each rank's part of {@code send} of {@code root} to its {@code receive}; other ranks may pass null for {@code send}. */
  public void scatter(MemorySegment send, MemorySegment receive, int root) {
    checkRank(root);
    collectives.scatter(send, receive, root);
  }

  /** Copies part {@code j} of rank {@code i}'s {@code send} to part {@code i} of rank {@code j}'s {@code receive}; all parts have the same size. */
  public void alltoall(MemorySegment send, MemorySegment receive) {
    collectives.alltoall(send, receive);
  }

  /**
   * The same with contiguous parts of any size.
   *
   * @param sendBytes sizes of the parts of {@code send}, one for each rank
   * @param receiveBytes sizes of the parts of {@code receive}
   */
  public void alltoallv(MemorySegment send, int[] sendBytes, MemorySegment receive, int[] receiveBytes) {
    collectives.alltoallv(send, sendBytes, receive, receiveBytes);
  }
}
