package dev.weft.tripwire.via;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.connect.Callee;
import dev.weft.tripwire.connect.Caller;
import dev.weft.tripwire.connect.HardwareLoop;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All VIs of a host, and calls for them. Hardware thread, except where noted. Bounds: VIs, and calls that wait for an application. */
final class ViaEngine implements HardwareLoop.Work {
  private enum Heard { NOTHING, CALL, NONSENSE }

  private static final Logger LOG = LoggerFactory.getLogger(ViaEngine.class);
  /** Delay before it looks again for room in the NIC. */
  static final long SOON_NS = 50_000;
  static final int REASON_REJECT = 1;
  static final int REASON_NO_MATCH = 2;
  private static final Object DONE = new Object();
  private static final int CONTROLS_MAX = 256;
  private static final long CONTROL_MAX_NS = 10_000_000_000L;

  private final Nic nic;
  private final ViaSettings settings;
  private final Endpoint endpoint;
  private final Waiter requestWaiter;
  private final Waiter controlWaiter;
  private final ManyToOneConcurrentArrayQueue<Runnable> controls = new ManyToOneConcurrentArrayQueue<>(CONTROLS_MAX);
  private final ManyToOneConcurrentArrayQueue<Vi> dirty;
  private final List<Vi> vis = new ArrayList<>();
  private final List<ConnectionRequest> calls = new ArrayList<>();
  /** Calls whose block has arrived, and that wait for an application. Guarded by itself. */
  private final List<ConnectionRequest> requests = new ArrayList<>();
  /** Calls that an application has taken but not answered. Guarded by {@link #requests}. */
  private final List<ConnectionRequest> taken = new ArrayList<>();
  private volatile ViaErrorHandler errorHandler;
  private volatile HardwareLoop loop;
  private long checkAtNs = Long.MIN_VALUE;

  ViaEngine(Nic nic, ViaSettings settings, Waiter requestWaiter, Waiter controlWaiter) {
    this.nic = nic;
    this.settings = settings;
    this.requestWaiter = requestWaiter;
    this.controlWaiter = controlWaiter;
    dirty = new ManyToOneConcurrentArrayQueue<>(settings.visMax() + 1);
    endpoint = nic.endpoint(settings.port());
  }

  void start(HardwareLoop newLoop) {
    loop = newLoop;
    endpoint.onMessage(newLoop::ring);
    newLoop.ring();
  }

  // Any thread.

  ViaSettings settings() {
    return settings;
  }

  long nowNs() {
    return nic.node().context().clock().nowNs();
  }

  void onError(ViaErrorHandler handler) {
    errorHandler = handler;
  }

  /** A VI has work; it reports that at most once. */
  void dirty(Vi vi) {
    if (!dirty.offer(vi)) {
      throw new IllegalStateException("more VIs have something to do than there are");
    }
    loop.ring();
  }

  /** Runs an action on the hardware thread, and waits for it. Not on the hardware thread. */
  void control(Runnable what) {
    AtomicReference<Object> outcome = new AtomicReference<>();
    boolean posted = controls.offer(() -> {
      try {
        what.run();
        outcome.set(DONE);
      } catch (ViaException | NicException refused) {
        outcome.set(refused); // Passed to the caller.
      }
      controlWaiter.wake();
    });
    if (!posted) {
      throw new ViaException(ViaResult.ERROR_RESOURCE, "the provider has " + CONTROLS_MAX + " calls waiting");
    }
    loop.ring();
    if (!controlWaiter.await(() -> outcome.get() != null, CONTROL_MAX_NS)) {
      throw new ViaException(ViaResult.TIMEOUT, "the hardware thread did not take the call up");
    }
    switch (outcome.get()) {
      case ViaException refused -> throw refused;
      case NicException refused -> throw new ViaException(ViaResult.ERROR_RESOURCE, refused.getMessage());
      default -> { }
    }
  }

  /** The oldest request for a discriminator; null after {@code maxNs}. */
  ConnectionRequest await(int discriminator, long maxNs) {
    AtomicReference<ConnectionRequest> found = new AtomicReference<>();
    requestWaiter.await(() -> find(discriminator, found), maxNs);
    return found.get();
  }

  private boolean find(int discriminator, AtomicReference<ConnectionRequest> found) {
    synchronized (requests) {
      for (Iterator<ConnectionRequest> each = requests.iterator(); found.get() == null && each.hasNext(); ) {
        ConnectionRequest request = each.next();
        if (request.block.discriminator() == discriminator) {
          each.remove();
          taken.add(request);
          found.set(request);
        }
      }
    }
    return found.get() != null;
  }

  // Hardware thread.

  void add(Vi vi) {
    if (vis.size() == settings.visMax()) {
      throw new ViaException(ViaResult.ERROR_RESOURCE, "there are " + vis.size() + " VIs already; raise weft.tripwire.via.vis-max");
    }
    vis.add(vi);
  }

  void remove(Vi vi) {
    vis.remove(vi);
  }

  Caller call(int lid, byte[] block) {
    return new Caller(nic, endpoint, lid, settings.port(), block);
  }

  void failed(Vi vi, ViaErrorHandler.Code code) {
    ViaErrorHandler told = errorHandler;
    try {
      if (told != null) {
        told.onError(vi, code);
      }
    } catch (RuntimeException e) {
      LOG.error("the error handler failed", e); // The handler's error must not stop the provider.
    }
  }

  void reject(ConnectionRequest request, int reason) {
    request.isAnswered = true;
    try {
      request.callee.reject(reason);
    } catch (NicException gone) {
      LOG.debug("a rejected caller closed its connection: {}", gone.getMessage());
    }
    request.callee.close();
  }

  static ViaResult resultOf(int reason) {
    return reason == REASON_NO_MATCH ? ViaResult.NO_MATCH : ViaResult.REJECT;
  }

  @Override
  public long step(long nowNs) {
    for (Runnable control = controls.poll(); control != null; control = controls.poll()) {
      control.run();
    }
    takeMessages(nowNs);
    long nextNs = hearCalls(nowNs);
    for (Vi vi = dirty.poll(); vi != null; vi = dirty.poll()) {
      vi.unring();
      vi.wakeAtNs = vi.step(nowNs);
    }
    boolean check = nowNs >= checkAtNs;
    if (check) {
      checkAtNs = nowNs + settings.checkIntervalNs();
    }
    boolean anyConnected = false;
    for (Vi vi : vis) {
      if (check) {
        vi.check();
      }
      if (vi.wakeAtNs <= nowNs) {
        vi.wakeAtNs = vi.step(nowNs);
      }
      nextNs = Math.min(nextNs, vi.wakeAtNs);
      anyConnected |= vi.state() == ViState.CONNECTED;
    }
    return anyConnected ? Math.min(nextNs, checkAtNs) : nextNs;
  }

  private void takeMessages(long nowNs) {
    for (Endpoint.Message message = endpoint.poll(); message != null; message = endpoint.poll()) {
      if (message.status() != Status.OK) {
        for (Vi vi : vis) {
          vi.refused(message.fromLid(), message.fromPort(), message.status());
        }
      } else if (Callee.isCall(message) && calls.size() + waiting() < settings.requestsMax()) {
        hear(message, nowNs);
      }
    }
  }

  private int waiting() {
    synchronized (requests) {
      return requests.size() + taken.size();
    }
  }

  private void hear(Endpoint.Message message, long nowNs) {
    try {
      Callee callee = Callee.of(nic, message);
      callee.ready().onFired((wire, firings) -> loop.ring(), ReceiveContext.ISR);
      calls.add(new ConnectionRequest(this, callee, nowNs + settings.connectTimeoutNs()));
    } catch (NicException exhausted) {
      return; // The call times out.
    }
  }

  private long hearCalls(long nowNs) {
    boolean told = false;
    for (Iterator<ConnectionRequest> each = calls.iterator(); each.hasNext(); ) {
      ConnectionRequest call = each.next();
      Heard heard = listen(call);
      if (heard == Heard.CALL) {
        synchronized (requests) {
          requests.add(call);
        }
        told = true;
        each.remove();
      } else if (heard == Heard.NONSENSE || nowNs >= call.deadlineNs) {
        reject(call, REASON_REJECT);
        each.remove();
      }
    }
    if (told) {
      requestWaiter.wake();
    }
    return Math.min(expire(nowNs), calls.isEmpty() ? Long.MAX_VALUE : nowNs + 20 * SOON_NS);
  }

  /** A call from memory that is too short or cannot be written is nonsense, too. */
  private static Heard listen(ConnectionRequest call) {
    try {
      byte[] block = call.callee.request();
      if (block == null) {
        return Heard.NOTHING;
      }
      call.block = ViWire.Block.of(block);
      return Heard.CALL;
    } catch (NicException bad) {
      return Heard.NONSENSE;
    }
  }

  /** Ends calls that no application has taken or answered in time. */
  private long expire(long nowNs) {
    synchronized (requests) {
      return Math.min(expire(requests, nowNs), expire(taken, nowNs));
    }
  }

  private long expire(List<ConnectionRequest> from, long nowNs) {
    long nextNs = Long.MAX_VALUE;
    for (Iterator<ConnectionRequest> each = from.iterator(); each.hasNext(); ) {
      ConnectionRequest request = each.next();
      if (!request.isAnswered && nowNs >= request.deadlineNs) {
        reject(request, REASON_NO_MATCH);
      }
      if (request.isAnswered) {
        each.remove();
      } else {
        nextNs = Math.min(nextNs, request.deadlineNs);
      }
    }
    return nextNs;
  }

  /** Ends everything. */
  void close() {
    for (Vi vi : List.copyOf(vis)) {
      vi.endForGood();
    }
    calls.forEach(call -> call.callee.close());
    synchronized (requests) {
      requests.forEach(request -> request.callee.close());
      requests.clear();
      taken.stream().filter(request -> !request.isAnswered).forEach(request -> request.callee.close());
      taken.clear();
    }
    endpoint.close();
  }
}
