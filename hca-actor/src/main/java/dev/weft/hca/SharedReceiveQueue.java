package dev.weft.hca;

import dev.weft.fabric.Check;
import dev.weft.hca.VerbsException.Errno;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Receives that several queue pairs share (specification volume 1, section 10.2.9): each message takes the oldest. An RC queue pair that
 * finds none answers RNR and is told, in turn with the others, when one is posted. Any thread.
 *
 * <p>Bound: {@link SrqAttr#maxWr} receives that are posted and not taken; one more is refused with ENOMEM.
 */
public final class SharedReceiveQueue {
  private final Hca hca;
  private final HcaCore core;
  private final ProtectionDomain pd;
  private final int number;
  private final Object postLock = new Object();
  private final HcaActor.SharedReceivePosted postedMessage = new HcaActor.SharedReceivePosted(this);
  /** Queue pairs that wait for a receive, in the order in which they found none. Hardware thread. */
  private final ArrayDeque<Tap> waiting = new ArrayDeque<>();
  /** Replaced on the hardware thread under {@link #postLock}. */
  private volatile ReceiveQueue ring;
  private volatile int maxSge;
  private volatile boolean awaited;
  private volatile int limit;
  int useCount;
  volatile boolean destroyed;

  SharedReceiveQueue(Hca hca, HcaCore core, ProtectionDomain pd, int number, int maxWr, int maxSge) {
    this.hca = hca;
    this.core = core;
    this.pd = pd;
    this.number = number;
    this.maxSge = maxSge;
    ring = new ReceiveQueue(maxWr);
  }

  /** Number of this queue within its HCA. */
  public int number() {
    return number;
  }

  public ProtectionDomain pd() {
    return pd;
  }

  public Hca hca() {
    return hca;
  }

  /** Receives posted and not yet taken by a message. */
  public int size() {
    return ring.size();
  }

  /** Sizes in force; the limit is 0 once its event has come. */
  public SrqAttr query() {
    return new SrqAttr(ring.depth, maxSge, limit);
  }

  /**
   * Arms the limit event: it comes once, when fewer than {@code newLimit} receives are posted; at once if that is so already. 0 disarms.
   *
   * @throws VerbsException EINVAL if the limit is negative or larger than {@code maxWr}
   */
  public void arm(int newLimit) {
    hca.control(() -> {
      check(newLimit >= 0 && newLimit <= ring.depth, "limit " + newLimit + ", must be from 0 to maxWr = " + ring.depth);
      limit = newLimit;
      fireLimit();
      return null;
    });
  }

  /**
   * Changes how many receives fit, and how many elements further ones may have; what is posted stays.
   *
   * @throws VerbsException EINVAL if {@code maxWr} is less than what is posted or than the limit, or either is more than the device
   *     allows
   */
  public void resize(int maxWr, int newMaxSge) {
    hca.control(() -> {
      int most = hca.settings().workRequestsMax();
      int mostSge = hca.settings().sgeMax();
      check(newMaxSge >= 0 && newMaxSge <= mostSge, "maxSge " + newMaxSge + ", must be from 0 to " + mostSge);
      synchronized (postLock) {
        int least = Math.max(1, Math.max(limit, ring.size()));
        check(maxWr >= least && maxWr <= most, "maxWr " + maxWr + ", must be from " + least + " to " + most);
        ReceiveQueue larger = new ReceiveQueue(maxWr);
        ring.moveTo(larger);
        ring = larger;
        maxSge = newMaxSge;
      }
      return null;
    });
  }

  private void check(boolean condition, String otherwise) {
    if (destroyed || !condition) {
      throw new VerbsException(Errno.EINVAL, "shared receive queue " + number + (destroyed ? " is destroyed" : ": " + otherwise));
    }
  }

  /**
   * Posts a copy of the receive request. Never blocks.
   *
   * @throws VerbsException ENOMEM if the queue is full; EINVAL with too many elements or after destruction; nothing is posted then
   */
  public void postReceive(ReceiveRequest request) {
    Check.given("request", request);
    synchronized (postLock) {
      take(request);
    }
    tellOfReceives(1);
  }

  /**
   * Posts copies of the receive requests in their order: as {@code ibv_post_srq_recv} of a list. Never blocks.
   *
   * @throws BadRequestException as {@link #postReceive(ReceiveRequest)} for the first request that is refused: those before it are posted, it
   *     and those behind it are not
   * @throws NullPointerException if the list or one of the requests is null; none is posted then
   */
  public void postReceive(List<ReceiveRequest> requests) {
    Check.allGiven("requests", requests);
    int done = 0;
    try {
      synchronized (postLock) {
        for (; done < requests.size(); done++) {
          take(requests.get(done));
        }
      }
    } catch (VerbsException refused) {
      throw new BadRequestException(refused, done, requests.size(), requests.get(done), requests.get(done).wrId);
    } finally {
      tellOfReceives(done);
    }
  }

  /** Caller holds the lock. */
  private void take(ReceiveRequest request) {
    if (hca.isClosed()) {
      throw hca.refusal();
    }
    check(request.sgList.count <= maxSge,
        "the request has " + request.sgList.count + " scatter/gather elements, the queue was created for " + maxSge);
    if (ring.isFull()) {
      throw new VerbsException(Errno.ENOMEM, "shared receive queue " + number + " holds " + ring.depth
          + " requests already; a place comes back when a message takes its receive: let messages come, or resize it");
    }
    ring.post(request);
  }

  /** Each lets one of the queue pairs that wait go on. */
  private void tellOfReceives(int count) {
    for (int i = 0; i < count && awaited; i++) {
      hca.actor().tell(postedMessage);
    }
  }

  /** Told once for each receive that was posted while somebody waited: the first who still waits learns of it. Hardware thread. */
  void wake() {
    for (boolean told = ring.isEmpty(); !told && !waiting.isEmpty();) {
      Tap tap = waiting.poll();
      tap.waits = false;
      told = tap.qp.rnrOwed;
      tap.qp.responder.onReceivePosted();
    }
    if (waiting.isEmpty()) {
      awaited = false; // Who waits next sets it before it looks again, so no post is missed.
    }
  }

  private void fireLimit() {
    if (limit > ring.size()) {
      limit = 0;
      core.event(AsyncEvent.Type.SRQ_LIMIT_REACHED, number);
    }
  }

  Tap tap(QueuePair qp) {
    return new Tap(qp);
  }

  @Override
  public String toString() {
    return "SharedReceiveQueue[" + number + " " + size() + "/" + ring.depth + " limit=" + limit + "]";
  }

  /** What one queue pair sees of the shared queue: the receive that its current message has taken is its own. Hardware thread. */
  final class Tap implements ReceiveSource {
    private final QueuePair qp;
    private ReceiveQueue.Wqe taken;
    private ReceiveQueue.Wqe spare = new ReceiveQueue.Wqe();
    private boolean waits;

    private Tap(QueuePair qp) {
      this.qp = qp;
    }

    @Override
    public boolean isEmpty() {
      return taken == null && ring.isEmpty();
    }

    @Override
    public ReceiveQueue.Wqe take() {
      if (taken == null) {
        taken = ring.exchange(spare);
        if (taken != null) {
          spare = null;
          fireLimit();
        }
      }
      return taken;
    }

    @Override
    public void done() {
      spare = taken;
      taken = null;
    }

    @Override
    public void awaitPost() {
      if (!waits) {
        waits = true;
        waiting.add(this);
      }
      awaited = true;
    }

    @Override
    public ReceiveQueue.Wqe nextToFlush() {
      return taken;
    }

    @Override
    public void discard() {
      if (taken != null) {
        done();
      }
      if (waits) {
        waits = false;
        waiting.remove(this);
      }
    }
  }
}
