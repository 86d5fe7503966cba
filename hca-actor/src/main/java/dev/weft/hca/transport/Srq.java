package dev.weft.hca.transport;

import dev.weft.fabric.Check;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.BadRequestException;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.util.ArrayDeque;
import java.util.List;

/** The ring of a shared receive queue, and the queue pairs that wait for a receive. */
public final class Srq implements SharedReceiveQueue {
  private final Hca owner;
  private final QueueDevice hca;
  private final Pd pd;
  private final int number;
  private final Object postLock = new Object();
  private final QueueMessage.SharedReceivePosted postedMessage = new QueueMessage.SharedReceivePosted(this);
  /** The queue pairs that wait for a receive, in the order in which they began to wait. Hardware thread. */
  private final ArrayDeque<Tap> waiting = new ArrayDeque<>();
  /** The ring; the hardware thread replaces it under {@link #postLock}. */
  private volatile ReceiveQueue ring;
  private volatile int maxSge;
  private volatile boolean awaited;
  private volatile int limit;
  int useCount;
  volatile boolean destroyed;

  Srq(Hca owner, QueueDevice hca, Pd pd, int number, int maxWr, int maxSge) {
    this.owner = owner;
    this.hca = hca;
    this.pd = pd;
    this.number = number;
    this.maxSge = maxSge;
    ring = new ReceiveQueue(maxWr);
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public Pd pd() {
    return pd;
  }

  @Override
  public Hca hca() {
    return owner;
  }

  @Override
  public int size() {
    return ring.size();
  }

  @Override
  public SrqAttr query() {
    return new SrqAttr(ring.depth, maxSge, limit);
  }

  @Override
  public void arm(int newLimit) {
    hca.calls.control(() -> {
      check(newLimit >= 0 && newLimit <= ring.depth, "limit is " + newLimit + ", must be from 0 to maxWr = " + ring.depth);
      limit = newLimit;
      fireLimit();
      return null;
    });
  }

  @Override
  public void resize(int maxWr, int newMaxSge) {
    hca.calls.control(() -> {
      int most = hca.settings.workRequestsMax();
      int mostSge = hca.settings.sgeMax();
      check(newMaxSge >= 0 && newMaxSge <= mostSge, "maxSge is " + newMaxSge + ", must be from 0 to " + mostSge);
      synchronized (postLock) {
        int least = Math.max(1, Math.max(limit, ring.size()));
        check(maxWr >= least && maxWr <= most, "maxWr is " + maxWr + ", must be from " + least + " to " + most);
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

  @Override
  public void postReceive(ReceiveRequest request) {
    Check.given("request", request);
    synchronized (postLock) {
      take(request);
    }
    tellOfReceives(1);
  }

  @Override
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
      throw new BadRequestException(refused, done, requests.size(), requests.get(done), requests.get(done).wrId());
    } finally {
      tellOfReceives(done);
    }
  }

  /** Posts a receive. The caller must hold the lock. */
  private void take(ReceiveRequest request) {
    if (hca.calls.isClosed()) {
      throw hca.calls.refusal();
    }
    check(request.sgList().count() <= maxSge,
        "the request has " + request.sgList().count() + " scatter/gather elements, the queue was created for at most " + maxSge);
    if (ring.isFull()) {
      throw new VerbsException(Errno.ENOMEM, "shared receive queue " + number + " holds " + ring.depth
          + " requests and is full; an arriving message frees a slot: wait for messages, or resize the queue");
    }
    ring.post(request);
  }

  /** Sends a message for each posted receive; each wakes one of the waiting queue pairs. */
  private void tellOfReceives(int count) {
    for (int i = 0; i < count && awaited; i++) {
      hca.calls.tell(postedMessage);
    }
  }

  /** Called once for each receive that was posted while queue pairs waited: wakes the first one that still waits. Hardware thread. */
  public void wake() {
    for (boolean told = ring.isEmpty(); !told && !waiting.isEmpty();) {
      Tap tap = waiting.poll();
      tap.waits = false;
      told = tap.qp.rnrOwed;
      tap.qp.onReceivePosted();
    }
    if (waiting.isEmpty()) {
      awaited = false; // The next waiting queue pair sets it before it checks again, so no post is missed.
    }
  }

  private void fireLimit() {
    if (limit > ring.size()) {
      limit = 0;
      hca.event(AsyncEvent.Type.SRQ_LIMIT_REACHED, number);
    }
  }

  Tap tap(QpContext qp) {
    return new Tap(qp);
  }

  @Override
  public String toString() {
    return "SharedReceiveQueue[" + number + " " + size() + "/" + ring.depth + " limit=" + limit + "]";
  }

  /** One queue pair's access to the shared queue. It holds the receive that the queue pair's current message has taken. Hardware thread. */
  final class Tap implements ReceiveSource {
    private final QpContext qp;
    private ReceiveQueue.Wqe taken;
    private ReceiveQueue.Wqe spare = new ReceiveQueue.Wqe();
    private boolean waits;

    private Tap(QpContext qp) {
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
