package dev.weft.hca.verbs;

import dev.weft.hca.completion.Cq;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.memory.Mw;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.transport.Qp;
import dev.weft.hca.transport.Srq;
import java.util.List;

/** The state of one HCA at one moment, for inspection. */
public record HcaSnapshot(
    String node,
    int lid,
    boolean linkUp,
    List<Integer> linkCredits,
    Counters counters,
    List<Qp> queuePairs,
    List<Cq> completionQueues,
    List<Mr> memoryRegions,
    List<Srq> sharedReceiveQueues,
    List<Mw> memoryWindows,
    List<CompletionCount> completionCounters,
    List<Group> multicastGroups,
    List<Pd> protectionDomains) {

  /**
   * Packet, byte and error counts since the HCA started.
   *
   * @param bytesPlaced bytes written to registered memory
   * @param bytesCopied copies of payload made, in bytes
   * @param unknownMessages messages that its actor did not understand
   */
  public record Counters(
      long packetsSent,
      long packetsReceived,
      long bytesSent,
      long bytesReceived,
      long bytesPlaced,
      long bytesCopied,
      long acksSent,
      long naksSent,
      long rnrNaksSent,
      long rnrNaksReceived,
      long rnrResumes,
      long rnrTimeouts,
      long sequenceNaksReceived,
      long duplicateRequests,
      long outOfSequenceRequests,
      long packetsRetransmitted,
      long timeouts,
      long packetsDropped,
      long atomicsExecuted,
      long atomicsReplayed,
      long readsRepeated,
      long impliedNaks,
      long creditStalls,
      long receivesMissing,
      long messagesDropped,
      long qkeyViolations,
      long flushesExecuted,
      long atomicWritesExecuted,
      long unknownMessages) {}

  /**
   * One protection domain.
   *
   * @param useCount queue pairs, regions, windows, shared receive queues, address handles and parent domains that belong to it
   * @param unpinnedRegions those of its regions whose memory is not pinned
   */
  public record Pd(int handle, int useCount, int unpinnedRegions) {}

  /**
   * One queue pair. Queue lengths in work requests. Of a datagram queue pair, peer and PSNs are 0 or meaningless; its queue key is a
   * secret and stays out.
   *
   * @param sendQueue requests not completed
   * @param sharedReceiveQueue number of the queue that its receives come from, or 0 for its own
   * @param sendSlotsTaken slots of the send queue that have not come back, which takes a polled completion
   * @param retriesMost the most retries that a reliable connection used up before something was acknowledged
   * @param silenceMaxNs the longest that it waited for an answer, of the waits that outlasted its timeout; 0 if none did
   * @param retryBudgetNs after so long a silence it ends; 0: never
   * @param stall why it does not move, and for how long
   * @param failure the status or event that made it fail, such as RETRY_EXC_ERR; empty if it did not fail, also where its program or its
   *     peer ended the connection
   */
  public record Qp(
      int number,
      QpState state,
      int destLid,
      int destQpNum,
      int sendQueue,
      int sendQueueMax,
      int receiveQueue,
      int receiveQueueMax,
      int sendPsn,
      int unackedPsn,
      int expectedPsn,
      int retriesLeft,
      boolean rnrWait,
      QpType type,
      int sharedReceiveQueue,
      int sendSlotsTaken,
      int retriesMost,
      long silenceMaxNs,
      long retryBudgetNs,
      Stall stall,
      String failure) {}

  /**
   * One completion queue.
   *
   * @param timestamps whether the HCA notes when it completes a request, which only extended queues ask for
   * @param singleThreaded whether its consumer has promised that one thread polls
   * @param reading whether a batch of an extended queue is being read at this moment
   */
  public record Cq(
      int number,
      ReceiveContext context,
      int size,
      int capacity,
      boolean armed,
      boolean overrun,
      long completions,
      long notifications,
      boolean timestamps,
      boolean singleThreaded,
      boolean reading) {}

  /**
   * One shared receive queue. Lengths in receives.
   *
   * @param size posted and not taken
   * @param limit below this many the limit event comes, 0 if it is not armed
   * @param armed whether the limit event is still to come
   * @param queuePairs how many share it
   */
  public record Srq(int number, int size, int capacity, int limit, boolean armed, int queuePairs) {}

  /**
   * One memory window; its key is a secret and stays out.
   *
   * @param addr first address that peers use, 0 if it is not bound
   * @param length bytes that it opens, 0 if it is not bound
   * @param access rights that it grants, empty if it is not bound
   * @param regionAddr first address of the region that it is a part of, 0 if it is not bound
   * @param queuePair the queue pair that a bound window of type 2 serves, otherwise 0
   */
  public record Mw(MemoryWindow.Type type, boolean bound, long addr, long length, String access, long regionAddr, int queuePair) {}

  /**
   * One completion counter.
   *
   * @param attached pairs of queue pair and operation that it counts
   */
  public record CompletionCount(int number, long count, long errors, int attached) {}

  /** One multicast group that queue pairs of this HCA are attached to, by its LID. */
  public record Group(int lid, List<Integer> queuePairs) {}

  /** One memory region; keys are secrets and stay out. */
  public record Mr(long addr, long length, String access, boolean pinned, boolean valid) {}
}
