package dev.weft.hca;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.dispatch.HardwareCall;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.VerbsException.Errno;
import dev.weft.hca.netvm.EventCounters;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NicPages;
import dev.weft.hca.netvm.NicPagesSnapshot;
import dev.weft.hca.netvm.PageTableSnapshot;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * The verbs interface of one HCA, as {@code ibv_context}. Any thread. Control verbs run on the hardware thread: called there they run
 * at once, called elsewhere they wait for it. One that the hardware thread has not taken up after {@code weft.hca.control-timeout} fails
 * with ETIMEDOUT, one whose caller is interrupted before that with EINTR; neither is done later.
 */
public final class Hca {
  private final String nodeName;
  private final HcaSettings settings;
  private final HcaCore core;
  private final AsyncEventQueue events;
  private final BooleanSupplier onHardwareThread;
  private final MemoryVerbs memoryVerbs;
  private final HcaDevice device;
  private volatile ActorRef<HardwareMessage> actor;
  private volatile ReceiveContexts contexts;
  private volatile int lid;
  private volatile long portSpeedBitsPerSecond;
  private int nextPdHandle = 1;
  /** Hardware thread. */
  private final List<Supplier<?>> shared = new ArrayList<>();

  /**
   * An HCA without a cable. Its actor is spawned from {@link HcaActor#create} and told to {@link #started}.
   *
   * @param virtualLanes lanes of the links of this fabric
   * @param onHardwareThread whether the calling thread is the one that runs the hardware actors
   */
  public Hca(String nodeName, HcaSettings settings, FabricContext context, int virtualLanes, BooleanSupplier onHardwareThread) {
    this.nodeName = nodeName;
    this.settings = settings;
    this.onHardwareThread = onHardwareThread;
    events = new AsyncEventQueue(settings.asyncEventsMax());
    core = new HcaCore(this, settings, context, virtualLanes, events);
    memoryVerbs = new MemoryVerbs(this, core, settings);
    device = new HcaDevice(this, settings);
  }

  /** The actor runs; called by whoever spawned it. */
  public void started(ActorRef<HardwareMessage> ref) {
    actor = ref;
  }

  void useContexts(ReceiveContexts hostContexts) {
    contexts = hostContexts;
  }

  /** Who runs the handlers of this host; null before the HCA's actor is created. */
  public ReceiveContexts contexts() {
    return contexts;
  }

  public String nodeName() {
    return nodeName;
  }

  public HcaSettings settings() {
    return settings;
  }

  /** What the HCA is: its limits, its port, its addresses. */
  public HcaDevice device() {
    return device;
  }

  /** The actor of this HCA, for the fabric and for inspection. */
  public ActorRef<HardwareMessage> actor() {
    return actor;
  }

  /** Local identifier of the port, 0 until the subnet manager has assigned one. */
  public int lid() {
    return lid;
  }

  /** Longest packet in bytes that this port carries, as {@code active_mtu}; see {@link #datagramMaxBytes} for the way to a port. */
  public int portMtuBytes() {
    return core.portMtuBytes();
  }

  /** What the links carry, where it is less than {@code weft.hca.path-mtu-max}; called by whoever cables the HCA, before it starts. */
  public void limitPortMtu(int bytes) {
    core.setPortMtuBytes(Math.min(bytes, settings.pathMtuMaxBytes()));
  }

  /**
   * What the ways to other ports carry, where it is less than this port; called by whoever cables the HCA, before it starts.
   *
   * @param byLid largest payload in bytes on the way to a LID, also of a multicast group; called by any thread
   */
  public void limitPathMtu(IntUnaryOperator byLid) {
    core.setPathMtu(byLid);
  }

  /** Speed of the link, where it has one; called by whoever cables the HCA. */
  public void setPortSpeed(long bitsPerSecond) {
    portSpeedBitsPerSecond = bitsPerSecond;
  }

  /** Bits per second, 0 if the link has no speed of its own. */
  long portSpeedBitsPerSecond() {
    return portSpeedBitsPerSecond;
  }

  /** Longest datagram in bytes that reaches the port, or all ports of the multicast group, of that LID, as far as is known now. */
  public int datagramMaxBytes(int destLid) {
    return core.datagramMaxBytes(destLid);
  }

  /**
   * Gives the HCA the virtual memory of its host, whose address spaces may then be registered with {@link Access#ON_DEMAND}; once.
   *
   * @throws VerbsException EBUSY if it has one already
   */
  public void attachVm(HostVm vm) {
    control(() -> {
      core.attach(vm);
      return null;
    });
  }

  /** The state of the host's virtual memory and of what the HCA knows of it; null if none was attached. */
  public NicPagesSnapshot inspectVm() {
    return control(() -> core.unpinned.pages() == null ? null : core.unpinned.pages().snapshot());
  }

  /**
   * Lets writes with immediate data to {@code qp} increment the counter that they name, instead of taking a receive.
   * When that ends because the queue pair goes to ERR, is reset or destroyed, the counters are told.
   *
   * @throws VerbsException EINVAL unless the queue pair is RC and in RESET or INIT
   */
  public void useEventCounters(QueuePair qp, EventCounters counters) {
    control(() -> {
      if (qp.hca() != this || qp.type() != QpType.RC || (qp.state != QpState.RESET && qp.state != QpState.INIT)) {
        throw new VerbsException(Errno.EINVAL, qp + " must be a reliable one of this HCA, in RESET or INIT");
      }
      qp.eventCounters = counters;
      return null;
    });
  }

  /** Has {@code observer} told of every atomic on that region, null for nobody. */
  public void observeAtomics(MemoryRegion mr, AtomicObserver observer) {
    control(() -> {
      mr.atomicObserver = observer;
      return null;
    });
  }

  /** Whether the caller is the hardware thread, which must not wait for anything. */
  public boolean isHardwareThread() {
    return onHardwareThread.getAsBoolean();
  }

  /** Runs something on the hardware thread and answers its result; at once if this is it. It may not block. */
  public <T> T onHardware(Supplier<T> action) {
    return control(action);
  }

  /** The same without waiting, for inspection; completed on the hardware thread. */
  public CompletionStage<NicPagesSnapshot> inspectVmLater() {
    return later(() -> core.unpinned.pages() == null ? null : core.unpinned.pages().snapshot());
  }

  /** Entries of the shadow page table, from the {@code offset}th mapped page on, at most {@code limit}. Any thread, never blocks. */
  public PageTableSnapshot inspectPages(int offset, int limit) {
    NicPages pages = core.unpinned.pages();
    return pages == null ? new PageTableSnapshot(0, 0, List.of()) : pages.vm().pages(offset, limit);
  }

  /**
   * Shows something that was built on this HCA, such as locks, in its inspection; {@code view} runs on the hardware thread.
   *
   * @return ends it
   */
  public Runnable publish(Supplier<?> view) {
    control(() -> shared.add(view));
    return () -> control(() -> shared.remove(view));
  }

  /** What was published, now. */
  public CompletionStage<List<Object>> inspectShared() {
    return later(() -> {
      List<Object> views = new ArrayList<>();
      shared.forEach(view -> views.add(view.get()));
      return views;
    });
  }

  /** Runs something on the hardware thread and answers its result later; it may not block. */
  public <T> CompletionStage<T> later(Supplier<T> action) {
    CompletableFuture<T> result = new CompletableFuture<>();
    actor.tell(new HcaActor.Control(() -> {
      try {
        result.complete(action.get());
      } catch (RuntimeException | Error failed) {
        // Goes to whoever waits; it must not end the HCA's actor.
        result.completeExceptionally(failed);
      }
    }));
    return result;
  }

  HcaCore core() {
    return core;
  }

  void lidAssigned(int assigned) {
    lid = assigned;
  }

  /** Allocates a protection domain. */
  public ProtectionDomain allocPd() {
    return control(() -> new ProtectionDomain(this, nextPdHandle++));
  }

  /** Gives a protection domain back; EBUSY while regions or queue pairs belong to it. */
  public void deallocPd(ProtectionDomain pd) {
    control(() -> {
      if (pd.hca() != this || pd.deallocated) {
        throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle()
            + (pd.deallocated ? " is deallocated already" : " belongs to the HCA of " + pd.hca().nodeName()));
      }
      if (pd.useCount > 0) {
        throw new VerbsException(Errno.EBUSY, "protection domain " + pd.handle() + " still has " + pd.useCount
            + " memory regions, queue pairs and address handles; remove them first");
      }
      pd.deallocated = true;
      return null;
    });
  }

  /**
   * An address handle.
   *
   * @param destLid LID of a port, 1 to 0xbfff, or of a multicast group, 0xc000 to 0xfffe
   * @param serviceLevel service level of the path, 0 to 15
   */
  public AddressHandle createAh(ProtectionDomain pd, int destLid, int serviceLevel) {
    check("destination LID", destLid, 1, Packet.MULTICAST_LID_MAX);
    check("service level", serviceLevel, 0, 15);
    return control(() -> {
      if (pd.hca() != this || pd.deallocated) {
        throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle()
            + (pd.deallocated ? " is deallocated" : " belongs to the HCA of " + pd.hca().nodeName()));
      }
      pd.useCount++;
      return new AddressHandle(pd, destLid, serviceLevel);
    });
  }

  /** An address handle for the port that has that GID; EINVAL if it is not one of the fabric. */
  public AddressHandle createAh(ProtectionDomain pd, Gid gid, int serviceLevel) {
    return createAh(pd, gid.lid(), serviceLevel);
  }

  /** An address handle for the sender of a received datagram, as {@code ibv_create_ah_from_wc}. */
  public AddressHandle createAhFromWc(ProtectionDomain pd, WorkCompletion wc) {
    if (!wc.hasGrh()) {
      throw new VerbsException(Errno.EINVAL, wc + " is not that of a received datagram");
    }
    return createAh(pd, wc.srcLid(), wc.serviceLevel());
  }

  public void destroyAh(AddressHandle handle) {
    control(() -> {
      if (handle.destroyed || handle.pd().hca() != this) {
        throw new VerbsException(Errno.EINVAL, handle + " is not one of the HCA of " + nodeName);
      }
      handle.destroyed = true;
      handle.pd().useCount--;
      return null;
    });
  }

  /**
   * Lets a datagram queue pair have a copy of what comes for a multicast LID. What comes at all is what the node has joined.
   *
   * @throws VerbsException EINVAL unless it is a datagram queue pair and a multicast LID; ENOMEM beyond the device's limit
   */
  public void attachMulticast(QueuePair qp, int groupLid) {
    control(() -> {
      core.attachMulticast(qp, groupLid);
      return null;
    });
  }

  /** The opposite of {@link #attachMulticast}; EINVAL if it is not attached. */
  public void detachMulticast(QueuePair qp, int groupLid) {
    control(() -> {
      core.detachMulticast(qp, groupLid);
      return null;
    });
  }

  /** Registers native memory; the region's address space starts at the segment's native address. */
  public MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, int access) {
    return regMr(pd, segment, segment.address(), access);
  }

  /**
   * Registers native memory at an address of the caller's choice, or at 0 with {@link Access#ZERO_BASED}. Touches and locks its pages
   * where {@code weft.hca.pin-memory} says
   * so and the limit on locked memory allows it.
   *
   * @throws VerbsException EINVAL for heap, empty, freed, read-only or thread-confined memory, or remote write or atomic access
   *     without local write; ENOMEM if the table is full
   */
  public MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, long iova, int access) {
    return memoryVerbs.register(pd, segment, iova, access, null);
  }

  /**
   * The same for memory of any kind: that of the consumer, a buffer of the domain, or memory of the HCA; whole or in part.
   *
   * @throws VerbsException as {@link #regMr(ProtectionDomain, MemorySegment, long, int)}; EINVAL too unless there is memory of exactly one
   *     kind, a range inside it, and what that kind asks for
   */
  public MemoryRegion regMr(ProtectionDomain pd, MrInitAttr attr) {
    checkDomain(pd);
    MemorySegment range = attr.resolve(pd);
    return memoryVerbs.register(pd, range, attr.iova(range), attr.access(), attr.held());
  }

  /**
   * Prepares a range of a region for traffic; as {@code ibv_advise_mr}. Changes no byte.
   *
   * @param wait whether the pages are there when this returns; otherwise the operating system is asked to bring them in. Pages of the host's
   *     virtual memory have been there then, each of them, and may go again at any time; the hardware thread must not wait for them
   * @throws VerbsException EINVAL for a region that is not valid or of another domain, a range outside it, or waiting for virtual memory
   *     on the hardware thread; EFAULT if some of the virtual memory was unmapped or lost; EPERM for PREFETCH_WRITE without LOCAL_WRITE;
   *     EINTR if the caller was interrupted while it waited
   */
  public void adviseMr(ProtectionDomain pd, MrAdvice advice, boolean wait, MemoryRegion mr, long offset, long lengthBytes) {
    checkDomain(pd);
    memoryVerbs.advise(pd, advice, wait, mr, offset, lengthBytes);
  }

  /**
   * Memory of the HCA itself, zero.
   *
   * @throws VerbsException EINVAL unless {@code lengthBytes} is positive; ENOMEM if less is left of {@code weft.hca.device-memory-max};
   *     EOPNOTSUPP if that is 0
   */
  public DeviceMemory allocDm(long lengthBytes) {
    return memoryVerbs.allocDm(lengthBytes);
  }

  /** Gives device memory back; EBUSY while regions are registered on it. */
  public void freeDm(DeviceMemory deviceMemory) {
    memoryVerbs.free(deviceMemory);
  }

  /** A page-aligned buffer that is registered only in this domain, and keeps the domain; EINVAL unless the length is positive. */
  public PdBuffer allocBuffer(ProtectionDomain pd, long lengthBytes) {
    checkDomain(pd);
    return memoryVerbs.allocBuffer(pd, lengthBytes);
  }

  /** Gives a buffer back; EBUSY while regions are registered on it. */
  public void freeBuffer(PdBuffer buffer) {
    memoryVerbs.free(buffer);
  }

  /** Removes a region. When this returns, the HCA does not touch the memory any more. */
  public void deregMr(MemoryRegion mr) {
    deregMrs(List.of(mr));
  }

  /** Removes several regions in one visit to the hardware thread: all of them, or none if one is refused. */
  public void deregMrs(List<MemoryRegion> regions) {
    memoryVerbs.deregister(regions);
  }

  /**
   * Changes a region: its memory, its domain, its rights, or several of them at once. What does not change may be null or 0.
   *
   * <p>If only the rights change, the region stays the same object with the same keys, and what is under way goes on. Otherwise the
   * keys change: the answer is a new region, the former one is invalid, and what is under way with it fails as after {@link #deregMr}.
   *
   * @param changes {@link Rereg} bits, at least one
   * @param iova first address of the new memory
   * @return the region to use from now on
   * @throws VerbsException EINVAL as {@link #regMr}, or if the region is not valid; EBUSY while windows are bound to it. The region is
   *     then as before
   */
  public MemoryRegion reregMr(MemoryRegion mr, int changes, ProtectionDomain pd, MemorySegment segment, long iova, int access) {
    return memoryVerbs.reregister(mr, changes, pd, segment, iova, access);
  }

  /**
   * A completion queue of {@code cqe} entries.
   *
   * @param handler called when an armed queue gets a completion; null with {@link ReceiveContext#POLLING}
   */
  public CompletionQueue createCq(int cqe, ReceiveContext context, CompletionHandler handler) {
    return createCq(new CqExAttr(cqe, context, handler, false, false));
  }

  /** A completion queue that is read field by field, with timestamps and without locks where {@code attr} says so. */
  public CompletionQueueEx createCqEx(CqExAttr attr) {
    return new CompletionQueueEx(createCq(attr), attr.timestamps());
  }

  private CompletionQueue createCq(CqExAttr attr) {
    int cqe = attr.cqe();
    ReceiveContext context = attr.context();
    CompletionHandler handler = attr.handler();
    if (cqe < 1 || cqe > settings.completionsMax()) {
      throw new VerbsException(Errno.EINVAL, "cqe is " + cqe + ", must be from 1 to " + settings.completionsMax());
    }
    if ((handler == null) != (context == ReceiveContext.POLLING)) {
      throw new VerbsException(Errno.EINVAL, context + (handler == null ? " needs a handler" : " takes no handler"));
    }
    return control(() -> core.createCq(attr));
  }

  /** Destroys a completion queue; EBUSY while queue pairs use it. */
  public void destroyCq(CompletionQueue cq) {
    control(() -> {
      core.destroyCq(cq);
      return null;
    });
  }

  /** A parent domain; it keeps its protection domain. {@code allocator} may be null. */
  public ParentDomain allocParentDomain(ProtectionDomain pd, QueueAllocator allocator) {
    checkDomain(pd);
    return control(() -> {
      if (pd.deallocated) {
        throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle() + " is deallocated");
      }
      pd.useCount++;
      return new ParentDomain(pd, allocator);
    });
  }

  /** Gives a parent domain back; EBUSY while queue pairs were created in it. */
  public void deallocParentDomain(ParentDomain domain) {
    checkDomain(domain.pd());
    control(() -> {
      if (domain.deallocated || domain.useCount > 0) {
        throw new VerbsException(domain.deallocated ? Errno.EINVAL : Errno.EBUSY, "the parent domain "
            + (domain.deallocated ? "is deallocated already" : "still has " + domain.useCount + " queue pairs; destroy them first"));
      }
      domain.deallocated = true;
      domain.pd().useCount--;
      return null;
    });
  }

  /** A queue pair in RESET. */
  public QueuePair createQp(ProtectionDomain pd, QpInitAttr attr) {
    return createQp(pd, null, attr);
  }

  /** The same with native memory from the allocator of the parent domain; ENOMEM if that gives what cannot be used. */
  public QueuePair createQp(ParentDomain domain, QpInitAttr attr) {
    return createQp(domain.pd(), domain, attr);
  }

  private QueuePair createQp(ProtectionDomain pd, ParentDomain parent, QpInitAttr attr) {
    check("maxSendWr", attr.maxSendWr(), 1, settings.workRequestsMax());
    check("maxRecvWr", attr.maxRecvWr(), 0, settings.workRequestsMax());
    check("maxSendSge", attr.maxSendSge(), 0, settings.sgeMax());
    check("maxRecvSge", attr.maxRecvSge(), 0, settings.sgeMax());
    check("maxInlineData", attr.maxInlineData(), 0, settings.inlineMaxBytes());
    if (attr.srq() != null && attr.srq().hca() != this) {
      throw new VerbsException(Errno.EINVAL, "the shared receive queue belongs to the HCA of " + attr.srq().hca().nodeName());
    }
    if (pd.hca() != this || attr.sendCq().hca() != this || attr.receiveCq().hca() != this) {
      throw new VerbsException(Errno.EINVAL, "protection domain and completion queues must belong to the HCA of " + nodeName);
    }
    return control(() -> core.createQp(pd, parent, attr));
  }

  private static void check(String name, int value, int low, int high) {
    if (value < low || value > high) {
      throw new VerbsException(Errno.EINVAL, name + " is " + value + ", must be from " + low + " to " + high);
    }
  }

  public void destroyQp(QueuePair qp) {
    control(() -> {
      core.destroyQp(qp);
      return null;
    });
  }

  void modifyQp(QueuePair qp, QpAttr attr) {
    control(() -> {
      core.modifyQp(qp, attr);
      return null;
    });
  }

  /** Has one observer see what other hosts do to registered memory from now on; null for none. */
  public void observeAccesses(AccessObserver observer) {
    control(() -> {
      core.setObserver(observer);
      return null;
    });
  }

  /** The oldest asynchronous event not fetched yet, or null. Bounded: see {@code weft.hca.async-events-max}. */
  public AsyncEvent pollAsyncEvent() {
    return events.poll();
  }

  /**
   * Asks for one call of {@code handler} when the next asynchronous event comes, also if that is lost; takes the place of a handler
   * that was not called yet, null disarms. The handler runs on the hardware thread and may not block.
   *
   * @return whether events are waiting already; poll them before waiting. The handler is armed all the same
   */
  public boolean armAsyncEvents(Runnable handler) {
    return events.arm(handler);
  }

  /** Asynchronous events that were lost because nobody fetched them. */
  public long asyncEventsLost() {
    return events.lost();
  }

  /** The state of everything, now. */
  public HcaSnapshot inspect() {
    return control(() -> core.snapshot(nodeName));
  }

  /** A queue of receives that several queue pairs share; its limit event is not armed, whatever {@code attr} says. */
  public SharedReceiveQueue createSrq(ProtectionDomain pd, SrqAttr attr) {
    check("maxWr", attr.maxWr(), 1, settings.workRequestsMax());
    check("maxSge", attr.maxSge(), 0, settings.sgeMax());
    checkDomain(pd);
    return control(() -> core.sharedReceiveQueues.create(pd, attr));
  }

  /** Destroys a shared receive queue, and forgets the receives that are posted; EBUSY while queue pairs use it. */
  public void destroySrq(SharedReceiveQueue srq) {
    control(() -> {
      core.sharedReceiveQueues.destroy(srq);
      return null;
    });
  }

  /** A memory window that is not bound; counts as one of {@code weft.hca.memory-regions-max}. */
  public MemoryWindow allocMw(ProtectionDomain pd, MemoryWindow.Type type) {
    checkDomain(pd);
    return control(() -> core.windows.allocate(pd, type));
  }

  /** Gives a window back; its key is invalid when this returns. */
  public void deallocMw(MemoryWindow window) {
    checkDomain(window.pd());
    control(() -> {
      core.windows.deallocate(window);
      return null;
    });
  }

  /**
   * Posts the binding of a type 1 window to the send queue of {@code qp}. It completes as BIND_MW, in order with the other requests.
   * {@code bind.rkey()} is ignored.
   *
   * @param sendFlags {@link SendFlags}
   * @return the key that the window has as soon as the binding has completed; the former one is invalid then
   * @throws VerbsException EINVAL for a type 2 window or a state before RTS; ENOMEM if the send queue is full
   */
  public int bindMw(QueuePair qp, MwBind bind, long wrId, int sendFlags) {
    if (bind.window().type() != MemoryWindow.Type.TYPE_1) {
      throw new VerbsException(Errno.EINVAL, "a window of type 2 is bound by a work request; use WorkRequest.bindMw");
    }
    if (qp.hca() != this) {
      throw new VerbsException(Errno.EINVAL, "the queue pair belongs to the HCA of " + qp.hca().nodeName());
    }
    return control(() -> {
      int key = core.memory.drawBeyondBound();
      MwBind keyed = new MwBind(bind.window(), key, bind.region(), bind.addr(), bind.length(), bind.access());
      qp.postBind(new WorkRequest().bindMw(keyed).wrId(wrId).flags(sendFlags));
      return key;
    });
  }

  /** A counter of completions, attached to nothing. */
  public CompletionCounter createCounter() {
    return control(core.completionCounters::create);
  }

  /** Destroys a counter; EBUSY while it is attached to queue pairs. */
  public void destroyCounter(CompletionCounter counter) {
    control(() -> {
      core.completionCounters.destroy(counter);
      return null;
    });
  }

  /**
   * Lets {@code counter} count these operations of a queue pair, until that is destroyed.
   *
   * @throws VerbsException EINVAL unless the queue pair is in RESET or INIT; EBUSY if one of the operations is counted already
   */
  public void attachCounter(QueuePair qp, CompletionCounter counter, Set<CompletionCounter.Operation> operations) {
    if (qp.hca() != this || counter.hca() != this) {
      throw new VerbsException(Errno.EINVAL, "queue pair and counter must belong to the HCA of " + nodeName);
    }
    control(() -> {
      core.completionCounters.attach(qp, counter, operations);
      return null;
    });
  }

  void checkDomain(ProtectionDomain pd) {
    if (pd.hca() != this) {
      throw new VerbsException(Errno.EINVAL, "the protection domain belongs to the HCA of " + pd.hca().nodeName());
    }
  }

  <T> T control(Supplier<T> verb) {
    if (onHardwareThread.getAsBoolean()) {
      return verb.get();
    }
    HardwareCall<T> call = new HardwareCall<>(verb);
    actor.tell(new HcaActor.Control(call));
    try {
      return call.await(settings.controlTimeout());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof VerbsException refused) {
        throw refused;
      }
      throw new IllegalStateException("the HCA of " + nodeName + " could not do it: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new VerbsException(Errno.ETIMEDOUT, "the HCA of " + nodeName + " did not take it up within "
          + settings.controlTimeout() + " and will not do it");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VerbsException(Errno.EINTR, "interrupted before the HCA of " + nodeName + " took it up; it will not do it");
    }
  }
}
