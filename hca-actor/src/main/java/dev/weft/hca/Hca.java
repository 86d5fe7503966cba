package dev.weft.hca;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.Check;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.memory.SharedMemory;
import dev.weft.fabric.time.FabricContext;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.VerbsException.Errno;
import dev.weft.hca.netvm.EventCounters;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NicPages;
import dev.weft.hca.netvm.NicPagesSnapshot;
import dev.weft.hca.netvm.PageTableSnapshot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
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
  private static final int PAGE_BYTES = 4096;

  private final boolean realTime;
  private final HcaCore core;
  private final AsyncEventQueue events;
  private final HardwareCalls calls;
  private final HcaEnd ends;
  private final MemoryVerbs memoryVerbs;
  private final DomainVerbs domains;
  private final QueueVerbs queues;
  private final HcaDevice device;
  private volatile ActorRef<HardwareMessage> actor;
  private volatile ReceiveContexts contexts;
  private volatile WriteWatches writeWatches;
  private volatile int lid;
  private volatile long portSpeedBitsPerSecond;
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
    calls = new HardwareCalls(nodeName, settings, onHardwareThread, this::actor);
    events = new AsyncEventQueue(settings.asyncEventsMax());
    realTime = context.clock() == RealClock.INSTANCE;
    core = new HcaCore(this, settings, context, virtualLanes, events);
    ends = new HcaEnd(this, core, calls);
    memoryVerbs = new MemoryVerbs(this, core, settings);
    domains = new DomainVerbs(this, core.domains, settings);
    queues = new QueueVerbs(this, core, settings);
    device = new HcaDevice(this, settings);
  }

  /**
   * Ends the HCA: its queue pairs go to ERR and what is posted is flushed; whoever waits for a completion, an event or a verb is woken; nothing
   * touches registered memory any more. From then on verbs that make or change something are refused with ENODEV, those that give something
   * back still do, completions can be polled, and {@link #inspect} tells how it ended. Called by the fabric; any thread, and again without effect.
   *
   * @param before done before that, on the hardware thread
   */
  public void close(String reason, Runnable before) {
    ends.close(reason, before);
  }

  /** Whether it was closed. */
  public boolean isClosed() {
    return calls.isClosed();
  }

  VerbsException refusal() {
    return calls.refusal();
  }

  HcaEnd ends() {
    return ends;
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

  /** Longest message that is sent or placed ({@code weft.hca.message-max}). */
  public long messageMaxBytes() {
    return settings.messageMaxBytes();
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
    Check.given("vm", vm);
    run(() -> core.attach(vm));
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
    Check.given("qp", qp);
    Check.given("counters", counters);
    queues.useEventCounters(qp, counters);
  }

  /** Has {@code observer} told of every atomic on that region, null for nobody. */
  public void observeAtomics(MemoryRegion mr, AtomicObserver observer) {
    Check.given("mr", mr);
    run(() -> mr.atomicObserver = observer);
  }

  /** Whether the caller is the hardware thread, which must not wait for anything. */
  public boolean isHardwareThread() {
    return calls.onHardwareThread();
  }

  /** A NIC of the same host can tell of writes to memory that is registered here; called when it starts. */
  public void offerWriteWatches(WriteWatches offered) {
    writeWatches = offered;
  }

  /** Who tells of writes to registered memory; null if the host has no NIC that can. */
  public WriteWatches writeWatches() {
    return writeWatches;
  }

  /** Runs something on the hardware thread and answers its result; at once if this is it. It may not block. */
  public <T> T onHardware(Supplier<T> action) {
    Check.given("action", action);
    return control(action);
  }

  /** The same without waiting, for inspection; completed on the hardware thread. */
  public CompletionStage<NicPagesSnapshot> inspectVmLater() {
    return calls.later(() -> core.unpinned.pages() == null ? null : core.unpinned.pages().snapshot());
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
    Check.given("view", view);
    control(() -> shared.add(view));
    return () -> control(() -> shared.remove(view));
  }

  /** What was published, now. */
  public CompletionStage<List<Object>> inspectShared() {
    return calls.later(() -> {
      List<Object> views = new ArrayList<>();
      shared.forEach(view -> views.add(view.get()));
      return views;
    });
  }

  /** Runs something on the hardware thread and answers its result later; it may not block. */
  public <T> CompletionStage<T> later(Supplier<T> action) {
    Check.given("action", action);
    return calls.later(action);
  }

  HcaCore core() {
    return core;
  }

  void lidAssigned(int assigned) {
    lid = assigned;
  }

  /**
   * Allocates a protection domain.
   *
   * @throws VerbsException ENOMEM if there are {@code weft.hca.protection-domains-max} already
   */
  public ProtectionDomain allocPd() {
    return domains.allocPd();
  }

  /** Gives a protection domain back; EBUSY while regions or queue pairs belong to it. */
  public void deallocPd(ProtectionDomain pd) {
    Check.given("pd", pd);
    domains.deallocPd(pd);
  }

  /**
   * An address handle.
   *
   * @param destLid LID of a port, 1 to 0xbfff, or of a multicast group, 0xc000 to 0xfffe
   * @param serviceLevel service level of the path, 0 to 15
   */
  public AddressHandle createAh(ProtectionDomain pd, int destLid, int serviceLevel) {
    Check.given("pd", pd);
    return domains.createAh(pd, destLid, serviceLevel);
  }

  /** An address handle for the port that has that GID; EINVAL if it is not one of the fabric. */
  public AddressHandle createAh(ProtectionDomain pd, Gid gid, int serviceLevel) {
    Check.given("gid", gid);
    return createAh(pd, gid.lid(), serviceLevel);
  }

  /** An address handle for the sender of a received datagram, as {@code ibv_create_ah_from_wc}. */
  public AddressHandle createAhFromWc(ProtectionDomain pd, WorkCompletion wc) {
    Check.given("pd", pd);
    Check.given("wc", wc);
    if (!wc.hasGrh()) {
      throw new VerbsException(Errno.EINVAL, wc + " is not that of a received datagram");
    }
    return createAh(pd, wc.srcLid(), wc.serviceLevel());
  }

  public void destroyAh(AddressHandle handle) {
    Check.given("handle", handle);
    domains.destroyAh(handle);
  }

  /**
   * Lets a datagram queue pair have a copy of what comes for a multicast LID. What comes at all is what the node has joined.
   *
   * @throws VerbsException EINVAL unless it is a datagram queue pair and a multicast LID; ENOMEM beyond the device's limit
   */
  public void attachMulticast(QueuePair qp, int groupLid) {
    Check.given("qp", qp);
    run(() -> core.attachMulticast(qp, groupLid));
  }

  /** The opposite of {@link #attachMulticast}; EINVAL if it is not attached. */
  public void detachMulticast(QueuePair qp, int groupLid) {
    Check.given("qp", qp);
    giveBack(() -> core.detachMulticast(qp, groupLid));
  }

  /**
   * Zeroed memory, aligned to pages, that is best for transfers: other JVMs of this host can map it, so that they take long messages out of it
   * with one copy ({@link SharedMemory}). Any memory may be registered; out of other memory that takes a system call.
   *
   * @param arena decides how long it lives
   * @param lengthBytes more than 0
   */
  public MemorySegment allocMemory(Arena arena, long lengthBytes) {
    Check.given("arena", arena);
    return realTime ? SharedMemory.allocate(arena, lengthBytes, PAGE_BYTES)
        : arena.allocate(lengthBytes, PAGE_BYTES);
  }

  /** Registers native memory; the region's address space starts at the segment's native address. */
  public MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, int access) {
    Check.given("segment", segment);
    return regMr(pd, segment, segment.address(), access);
  }

  /**
   * Registers native memory at an address of the caller's choice, or at 0 with {@link Access#ZERO_BASED}. Touches and locks its pages
   * where {@code weft.hca.pin-memory} says
   * so and the limit on locked memory allows it.
   *
   * @throws VerbsException EINVAL for heap, empty, freed, read-only or thread-confined memory, or remote write or atomic access
   *     without local write; EFAULT if it has no pages, because the file that is mapped there was cut short; ENOMEM if the table is full
   */
  public MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, long iova, int access) {
    Check.given("segment", segment);
    return memoryVerbs.register(pd, segment, iova, access, null);
  }

  /**
   * The same for memory of any kind: that of the consumer, a buffer of the domain, or memory of the HCA; whole or in part.
   *
   * @throws VerbsException as {@link #regMr(ProtectionDomain, MemorySegment, long, int)}; EINVAL too unless there is memory of exactly one
   *     kind, a range inside it, and what that kind asks for
   */
  public MemoryRegion regMr(ProtectionDomain pd, MrInitAttr attr) {
    Check.given("attr", attr);
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
   *     on the hardware thread; EFAULT if some of the virtual memory was unmapped or lost, or the file that is mapped there was cut short;
   *     EPERM for PREFETCH_WRITE without LOCAL_WRITE; EINTR if the caller was interrupted while it waited
   */
  public void adviseMr(ProtectionDomain pd, MrAdvice advice, boolean wait, MemoryRegion mr, long offset, long lengthBytes) {
    Check.given("advice", advice);
    Check.given("mr", mr);
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

  /** Gives device memory back; EBUSY while regions are registered on it, and after {@link #deregMr} nothing touches it. */
  public void freeDm(DeviceMemory deviceMemory) {
    Check.given("deviceMemory", deviceMemory);
    memoryVerbs.free(deviceMemory);
  }

  /** A page-aligned buffer that is registered only in this domain, and keeps the domain; EINVAL unless the length is positive. */
  public PdBuffer allocBuffer(ProtectionDomain pd, long lengthBytes) {
    checkDomain(pd);
    return memoryVerbs.allocBuffer(pd, lengthBytes);
  }

  /** Gives a buffer back; EBUSY while regions are registered on it. */
  public void freeBuffer(PdBuffer buffer) {
    Check.given("buffer", buffer);
    memoryVerbs.free(buffer);
  }

  /**
   * Removes a region. When this returns, nothing touches the memory any more, within this JVM and in others of this host: it may be written to,
   * freed and unmapped. What is under way with it fails: a packet on its way that refers to the memory counts as lost, and when it is asked for
   * again the request ends with LOC_PROT_ERR, where it is the requester's memory, or REM_ACCESS_ERR.
   *
   * <p>Waits for another JVM that copies out of the memory just now, some microseconds. For one that is stopped in the middle of that it waits
   * no longer than a second; that JVM finds that what it copies is lost when it goes on.
   */
  public void deregMr(MemoryRegion mr) {
    Check.given("mr", mr);
    deregMrs(List.of(mr));
  }

  /** The same for several regions in one visit to the hardware thread: all of them, or none if one is refused. */
  public void deregMrs(List<MemoryRegion> regions) {
    Check.given("regions", regions).forEach(mr -> Check.given("region", mr));
    memoryVerbs.deregister(regions);
  }

  /**
   * Changes a region: its memory, its domain, its rights, or several of them at once. What does not change may be null or 0.
   *
   * <p>If only the rights change, the region stays the same object with the same keys, and what is under way goes on. Otherwise the
   * keys change: the answer is a new region, the former one is invalid, and what is under way with it fails as after {@link #deregMr}; nothing
   * touches its memory any more.
   *
   * @param changes {@link Rereg} bits, at least one
   * @param iova first address of the new memory
   * @return the region to use from now on
   * @throws VerbsException EINVAL as {@link #regMr}, or if the region is not valid; EBUSY while windows are bound to it. The region is
   *     then as before
   */
  public MemoryRegion reregMr(MemoryRegion mr, int changes, ProtectionDomain pd, MemorySegment segment, long iova, int access) {
    Check.given("mr", mr);
    return memoryVerbs.reregister(mr, changes, pd, segment, iova, access);
  }

  /** A completion queue of {@code cqe} entries to be polled: {@link ReceiveContext#POLLING}. */
  public CompletionQueue createCq(int cqe) {
    return createCq(cqe, ReceiveContext.POLLING, null);
  }

  /**
   * A completion queue of {@code cqe} entries.
   *
   * @param handler called when an armed queue gets a completion; null with {@link ReceiveContext#POLLING}
   */
  public CompletionQueue createCq(int cqe, ReceiveContext context, CompletionHandler handler) {
    Check.given("context", context);
    return queues.createCq(new CqExAttr(cqe, context, handler, false, false));
  }

  /**
   * A completion queue of {@code cqe} entries that belongs to an actor: when it was armed and gets a completion, the actor is told
   * {@code notice}, once for each time that it was armed. The actor's dispatcher says in which context that is handled.
   */
  public <T> CompletionQueue createCq(int cqe, ActorRef<T> consumer, T notice) {
    Check.given("consumer", consumer);
    Check.given("notice", notice);
    return queues.createCq(new CqExAttr(cqe, ReceiveContext.ISR, new ActorNotice<>(consumer, notice), false, false));
  }

  /** A completion queue that is read field by field, with timestamps and without locks where {@code attr} says so. */
  public CompletionQueueEx createCqEx(CqExAttr attr) {
    Check.given("attr", attr);
    return new CompletionQueueEx(queues.createCq(attr), attr.timestamps());
  }

  /** Destroys a completion queue; EBUSY while queue pairs use it. */
  public void destroyCq(CompletionQueue cq) {
    Check.given("cq", cq);
    giveBack(() -> core.destroyCq(cq));
  }

  /** A parent domain; it keeps its protection domain. {@code allocator} may be null. */
  public ParentDomain allocParentDomain(ProtectionDomain pd, QueueAllocator allocator) {
    return domains.allocParentDomain(pd, allocator);
  }

  /** Gives a parent domain back; EBUSY while queue pairs were created in it. */
  public void deallocParentDomain(ParentDomain domain) {
    Check.given("domain", domain);
    domains.deallocParentDomain(domain);
  }

  /** A queue pair in RESET. */
  public QueuePair createQp(ProtectionDomain pd, QpInitAttr attr) {
    Check.given("pd", pd);
    Check.given("attr", attr);
    return queues.createQp(pd, null, attr);
  }

  /** The same with native memory from the allocator of the parent domain; ENOMEM if that gives what cannot be used. */
  public QueuePair createQp(ParentDomain domain, QpInitAttr attr) {
    Check.given("domain", domain);
    Check.given("attr", attr);
    return queues.createQp(domain.pd(), domain, attr);
  }

  static void check(String name, int value, int low, int high) {
    if (value < low || value > high) {
      throw new VerbsException(Errno.EINVAL, name + " is " + value + ", must be from " + low + " to " + high);
    }
  }

  public void destroyQp(QueuePair qp) {
    Check.given("qp", qp);
    giveBack(() -> core.destroyQp(qp));
  }

  void modifyQp(QueuePair qp, QpAttr attr) {
    run(() -> core.modifyQp(qp, attr));
  }

  /** Has one observer see what other hosts do to registered memory from now on; null for none. */
  public void observeAccesses(AccessObserver observer) {
    run(() -> core.setObserver(observer));
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

  /** The state of everything, now; of an HCA that was closed, as it ended. */
  public HcaSnapshot inspect() {
    return giveBack(() -> core.snapshot(nodeName));
  }

  /** A queue of receives that several queue pairs share; its limit event is not armed, whatever {@code attr} says. */
  public SharedReceiveQueue createSrq(ProtectionDomain pd, SrqAttr attr) {
    Check.given("attr", attr);
    check("maxWr", attr.maxWr(), 1, settings.workRequestsMax());
    check("maxSge", attr.maxSge(), 0, settings.sgeMax());
    checkDomain(pd);
    return control(() -> core.sharedReceiveQueues.create(pd, attr));
  }

  /** Destroys a shared receive queue, and forgets the receives that are posted; EBUSY while queue pairs use it. */
  public void destroySrq(SharedReceiveQueue srq) {
    Check.given("srq", srq);
    giveBack(() -> core.sharedReceiveQueues.destroy(srq));
  }

  /** A memory window that is not bound; counts as one of {@code weft.hca.memory-regions-max}. */
  public MemoryWindow allocMw(ProtectionDomain pd, MemoryWindow.Type type) {
    Check.given("type", type);
    checkDomain(pd);
    return control(() -> core.windows.allocate(pd, type));
  }

  /** Gives a window back; when this returns its key is invalid, and nothing reads what was bound to it through the window any more. */
  public void deallocMw(MemoryWindow window) {
    Check.given("window", window);
    checkDomain(window.pd());
    giveBack(() -> core.windows.deallocate(window));
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
    Check.given("qp", qp);
    Check.given("bind", bind);
    return queues.bindMw(qp, bind, wrId, sendFlags);
  }

  /** A counter of completions, attached to nothing. */
  public CompletionCounter createCounter() {
    return control(core.completionCounters::create);
  }

  /** Destroys a counter; EBUSY while it is attached to queue pairs. */
  public void destroyCounter(CompletionCounter counter) {
    Check.given("counter", counter);
    giveBack(() -> core.completionCounters.destroy(counter));
  }

  /**
   * Lets {@code counter} count these operations of a queue pair, until that is destroyed.
   *
   * @throws VerbsException EINVAL unless the queue pair is in RESET or INIT; EBUSY if one of the operations is counted already
   */
  public void attachCounter(QueuePair qp, CompletionCounter counter, Set<CompletionCounter.Operation> operations) {
    Check.given("qp", qp);
    Check.given("counter", counter);
    Check.given("operations", operations);
    queues.attachCounter(qp, counter, operations);
  }

  void checkDomain(ProtectionDomain pd) {
    Check.given("pd", pd);
    if (pd.hca() != this) {
      throw new VerbsException(Errno.EINVAL, "the protection domain belongs to the HCA of " + pd.hca().nodeName());
    }
  }

  <T> T giveBack(Supplier<T> verb) {
    return calls.giveBack(verb);
  }

  private void giveBack(Runnable verb) {
    calls.giveBack(() -> {
      verb.run();
      return null;
    });
  }

  <T> T control(Supplier<T> verb) {
    return calls.control(verb);
  }

  void run(Runnable verb) {
    calls.control(() -> {
      verb.run();
      return null;
    });
  }
}
