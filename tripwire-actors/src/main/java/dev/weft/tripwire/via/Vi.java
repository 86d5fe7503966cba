package dev.weft.tripwire.via;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.connect.Callee;
import dev.weft.tripwire.connect.Caller;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;

/** A virtual interface: a send queue and a receive queue, connected to those of another VI. Applications use it on any thread. */
public final class Vi {
  private final ViaNic provider;
  private final ViaEngine engine;
  private final ViAttributes attributes;
  private final DescriptorRules rules;
  private final Waiter waiter;
  private final WorkQueue sends;
  private final WorkQueue receives;
  private final AtomicBoolean rung = new AtomicBoolean();
  private volatile ViState state = ViState.IDLE;
  private volatile ViaResult refusal;

  // Hardware thread.
  private final ArrayDeque<ViaDescriptor> early = new ArrayDeque<>();
  private ViSender sender;
  private ViReceiver receiver;
  private Caller caller;
  private Callee callee;
  private long connectDeadlineNs;
  long wakeAtNs = Long.MAX_VALUE;

  Vi(ViaNic provider, ViaEngine engine, ViAttributes attributes, CompletionQueue sendCq, CompletionQueue receiveCq) {
    this.provider = provider;
    this.engine = engine;
    this.attributes = attributes;
    waiter = provider.newWaiter();
    int depth = engine.settings().queueDepth();
    rules = new DescriptorRules(attributes.tag(), attributes.maxTransferBytes(), engine.settings().segmentsMax());
    sends = new WorkQueue(this, false, depth, sendCq, provider.newWaiter());
    receives = new WorkQueue(this, true, depth, receiveCq, provider.newWaiter());
  }

  public ViState state() {
    return state;
  }

  public ViAttributes attributes() {
    return attributes;
  }

  WorkQueue queue(boolean isReceive) {
    return isReceive ? receives : sends;
  }

  ViaNic provider() {
    return provider;
  }

  // Work.

  /**
   * Posts a send or an RDMA write (VipPostSend). On a VI that is not connected it completes at once with DESCRIPTOR_FLUSHED.
   *
   * @throws ViaException ERROR_RESOURCE if the queue is full
   */
  public void postSend(ViaDescriptor descriptor) {
    sends.post(descriptor);
    ring();
  }

  /** Posts a receive (VipPostRecv), before the connection or later. */
  public void postRecv(ViaDescriptor descriptor) {
    receives.post(descriptor);
    ring();
  }

  /** The oldest completed send, or null (VipSendDone). With a completion queue, only after that has reported it. */
  public ViaDescriptor sendDone() {
    return sends.poll();
  }

  /** The oldest completed receive, or null (VipRecvDone). */
  public ViaDescriptor recvDone() {
    return receives.poll();
  }

  /** Waits for {@link #sendDone}; null after {@code maxNs} (VipSendWait). */
  public ViaDescriptor sendWait(long maxNs) {
    return sends.await(maxNs);
  }

  /** Waits for {@link #recvDone}; null after {@code maxNs} (VipRecvWait). */
  public ViaDescriptor recvWait(long maxNs) {
    return receives.await(maxNs);
  }

  // Connections.

  /**
   * Connects to an application that waits at another host (VipConnectRequest).
   *
   * @param discriminator selects the application there
   * @throws ViaException INVALID_STATE, NOT_REACHABLE, NO_MATCH, REJECT, INVALID_MTU or TIMEOUT; the VI is idle then
   */
  public void connectRequest(String node, int discriminator, long maxNs) {
    int lid = provider.nic().lidOf(node);
    if (lid == 0) {
      throw new ViaException(ViaResult.NOT_REACHABLE, "there is no CLAN NIC at " + node);
    }
    engine.control(() -> begin(lid, discriminator, maxNs));
    if (!waiter.await(() -> state != ViState.CONNECT_PENDING, maxNs)) {
      engine.control(() -> abandon(ViaResult.TIMEOUT));
    }
    ViaResult why = refusal;
    if (state != ViState.CONNECTED && why != null) {
      throw new ViaException(why, "no connection to " + discriminator + " at " + node + ": " + why);
    }
  }

  /** Ends the connection, also a failed one; unfinished descriptors are flushed (VipDisconnect). */
  public void disconnect() {
    engine.control(() -> leave(ViState.IDLE));
  }

  /**
   * Destroys the VI (VipDestroyVi).
   *
   * @throws ViaException ERROR_RESOURCE if it is connected, or has descriptors that were not taken back
   */
  public void destroy() {
    if (state == ViState.CONNECTED || state == ViState.CONNECT_PENDING || !sends.isIdle() || !receives.isIdle()) {
      throw new ViaException(ViaResult.ERROR_RESOURCE, "the VI is " + state + (sends.isIdle() && receives.isIdle() ? ""
          : ", and has descriptors that were not taken back"));
    }
    provider.forget(this);
  }

  // Hardware thread.

  void ring() {
    if (!rung.get() && rung.compareAndSet(false, true)) {
      engine.dirty(this);
    }
  }

  /** It has left the queue of VIs with work. */
  void unring() {
    rung.set(false);
  }

  private void wakeOn(Tripwire wire) {
    wire.onFired((fired, firings) -> ring(), ReceiveContext.ISR);
    wire.arm();
  }

  private ViWire.Block makeHalves(int discriminator) {
    Nic nic = provider.nic();
    ViaSettings settings = engine.settings();
    sender = new ViSender(nic, settings, sends, rules, this::ring);
    receiver = new ViReceiver(nic, settings, receives, rules);
    return new ViWire.Block(discriminator, attributes.maxTransferBytes(), settings.cookieSlots(), settings.completionSlots(),
        receiver.offers().descriptor(), sender.offers().descriptor(), sender.completions().descriptor(),
        receiver.completions().descriptor());
  }

  private void joinHalves(ViWire.Block other) {
    receiver.offers().connect(other.offersIn());
    sender.offers().connect(other.offersOut());
    sender.completions().connect(other.completionsIn());
    receiver.completions().connect(other.completionsOut());
    wakeOn(sender.offers().ready());
    wakeOn(sender.completions().ready());
    wakeOn(receiver.completions().ready());
    wakeOn(receiver.offers().ready());
    early.forEach(receiver::add);
    early.clear();
    state = ViState.CONNECTED;
    ring();
  }

  private void needIdle() {
    if (state != ViState.IDLE) {
      throw new ViaException(ViaResult.INVALID_STATE, "the VI is " + state + ", must be IDLE to be connected");
    }
  }

  private void begin(int lid, int discriminator, long maxNs) {
    needIdle();
    refusal = null;
    try {
      ViWire.Block block = makeHalves(discriminator);
      caller = engine.call(lid, block.toBytes());
    } catch (NicException exhausted) {
      end(ViState.IDLE);
      throw exhausted;
    }
    wakeOn(caller.ready());
    connectDeadlineNs = engine.nowNs() + maxNs;
    state = ViState.CONNECT_PENDING;
    ring();
  }

  /** The other host refused a call, at the provider's endpoint. */
  void refused(int lid, int port, Status status) {
    if (caller != null && caller.lid() == lid && caller.port() == port) {
      caller.refused(status);
      ring();
    }
  }

  private void abandon(ViaResult why) {
    if (state == ViState.CONNECT_PENDING) {
      refusal = why;
      end(ViState.IDLE);
    }
  }

  /** Accepts a call. */
  void accept(Callee call, ViWire.Block other) {
    needIdle();
    ViaSettings settings = engine.settings();
    if (other.maxTransferBytes() != attributes.maxTransferBytes() || other.cookieSlots() != settings.cookieSlots()
        || other.completionSlots() != settings.completionSlots()) {
      throw new ViaException(ViaResult.INVALID_MTU, "the VIs transfer " + other.maxTransferBytes() + " and "
          + attributes.maxTransferBytes() + " bytes at most, or their providers have other queues");
    }
    try {
      ViWire.Block own = makeHalves(0);
      callee = call;
      if (!call.accept(own.toBytes())) {
        throw new NicException(Status.BUSY, "the NIC has no room to accept the connection");
      }
      joinHalves(other);
    } catch (NicException failed) {
      end(ViState.IDLE);
      throw failed;
    }
  }

  /** Continues as far as possible; returns the latest time of the next call. */
  long step(long nowNs) {
    try {
      takePosted();
      return switch (state) {
        case CONNECT_PENDING -> connect(nowNs);
        case CONNECTED -> work(nowNs);
        case IDLE, ERROR -> Long.MAX_VALUE;
      };
    } catch (ViFailure failure) {
      fail(failure.code);
    } catch (NicException lost) {
      fail(ViaErrorHandler.Code.CONN_LOST);
    }
    return Long.MAX_VALUE;
  }

  private void takePosted() {
    boolean connected = state == ViState.CONNECTED;
    for (ViaDescriptor next = sends.take(); next != null; next = sends.take()) {
      if (connected) {
        sender.add(next);
      } else {
        sends.complete(next, ViaStatus.DESCRIPTOR_FLUSHED, 0, null, false);
      }
    }
    for (ViaDescriptor next = receives.take(); next != null; next = receives.take()) {
      if (connected) {
        receiver.add(next);
      } else if (state == ViState.ERROR) {
        receives.complete(next, ViaStatus.DESCRIPTOR_FLUSHED, 0, null, false);
      } else {
        early.add(next);
      }
    }
  }

  private long connect(long nowNs) {
    switch (caller.step()) {
      case ACCEPTED -> {
        joinHalves(ViWire.Block.of(caller.answer()));
        waiter.wake();
      }
      case REJECTED -> abandon(ViaEngine.resultOf(caller.reason()));
      case FAILED -> abandon(caller.failure() == Status.NO_ENDPOINT ? ViaResult.NO_MATCH : ViaResult.NOT_REACHABLE);
      case CALLING, WAITING -> {
        if (nowNs < connectDeadlineNs) {
          return Math.min(connectDeadlineNs, nowNs + 20 * ViaEngine.SOON_NS);
        }
        abandon(ViaResult.TIMEOUT);
      }
    }
    return Long.MAX_VALUE;
  }

  private long work(long nowNs) {
    if (receiver.offers().ready().take()) {
      receiver.offers().ready().arm();
    }
    if (sender.completions().ready().take()) {
      sender.completions().ready().arm();
    }
    receiver.receive();
    boolean crowded = receiver.tell();
    long nextNs = sender.send(nowNs);
    return crowded ? Math.min(nextNs, nowNs + ViaEngine.SOON_NS) : nextNs;
  }

  /** Ends the connection if the other host is gone. */
  void check() {
    Status peer = caller != null ? caller.peerStatus() : callee != null ? callee.peerStatus() : Status.OK;
    if (state == ViState.CONNECTED && peer != Status.OK) {
      fail(ViaErrorHandler.Code.CONN_LOST);
    } else if (state == ViState.CONNECTED && sender.status() != Status.OK) {
      fail(ViaErrorHandler.Code.RDMAW_PROT);
    }
  }

  private void fail(ViaErrorHandler.Code code) {
    if (state == ViState.CONNECT_PENDING) {
      abandon(ViaResult.NOT_REACHABLE);
      return;
    }
    if (state == ViState.CONNECTED && code != ViaErrorHandler.Code.CONN_LOST) {
      sender.sayGoodbye();
    }
    end(ViState.ERROR);
    engine.failed(this, code);
  }

  private void leave(ViState next) {
    if (sender != null && state == ViState.CONNECTED) {
      sender.sayGoodbye();
    }
    end(next);
  }

  /** The provider is closed. */
  void endForGood() {
    leave(ViState.ERROR);
  }

  /** The connection has ended: flushes posted descriptors. */
  private void end(ViState next) {
    if (sender != null) {
      sender.close(state == ViState.CONNECTED && next == ViState.ERROR ? ViaStatus.TRANSPORT_ERROR : ViaStatus.DESCRIPTOR_FLUSHED);
      sender = null;
    }
    if (receiver != null) {
      receiver.close(ViaStatus.DESCRIPTOR_FLUSHED);
      receiver = null;
    }
    if (caller != null) {
      caller.close();
      caller = null;
    }
    if (callee != null) {
      callee.close();
      callee = null;
    }
    for (ViaDescriptor posted = sends.take(); posted != null; posted = sends.take()) {
      sends.complete(posted, ViaStatus.DESCRIPTOR_FLUSHED, 0, null, false);
    }
    for (ViaDescriptor posted = receives.take(); posted != null; posted = receives.take()) {
      early.add(posted);
    }
    early.forEach(descriptor -> receives.complete(descriptor, ViaStatus.DESCRIPTOR_FLUSHED, 0, null, false));
    early.clear();
    state = next;
    waiter.wake();
  }
}
