package dev.weft.hca.device;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.Check;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.memory.SharedMemory;
import dev.weft.fabric.time.FabricContext;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.completion.ActorNotice;
import dev.weft.hca.completion.CompCounter;
import dev.weft.hca.completion.Cq;
import dev.weft.hca.completion.CqEx;
import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.memory.Dm;
import dev.weft.hca.memory.MemoryVerbs;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.memory.Mw;
import dev.weft.hca.memory.ParentPd;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.memory.PdBuf;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NicPages;
import dev.weft.hca.netvm.NicPagesSnapshot;
import dev.weft.hca.netvm.PageTableSnapshot;
import dev.weft.hca.transport.Qp;
import dev.weft.hca.transport.Srq;
import dev.weft.hca.verbs.AccessObserver;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.AtomicObserver;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.CompletionHandler;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.CompletionQueueEx;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.DeviceMemory;
import dev.weft.hca.verbs.EventCounters;
import dev.weft.hca.verbs.Gid;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaDevice;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.MrAdvice;
import dev.weft.hca.verbs.MrInitAttr;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.ParentDomain;
import dev.weft.hca.verbs.PdBuffer;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueueAllocator;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveContexts;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WriteWatches;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** The verbs of an HCA: checks the arguments of a consumer and passes the call to the hardware thread. Any thread. */
public final class ControlVerbs implements Hca {
  private static final int PAGE_BYTES = 4096;

  private final String nodeName;
  private final HcaSettings settings;
  private final boolean realTime;
  private final PacketEngine core;
  private final AsyncEventQueue events;
  private final HardwareCalls calls;
  private final DeviceShutdown ends;
  private final MemoryVerbs memoryVerbs;
  private final DomainVerbs domains;
  private final QueueVerbs queues;
  private final DeviceQueries device;
  private volatile ActorRef<HardwareMessage> actor;
  private volatile ReceiveContexts contexts;
  private volatile WriteWatches writeWatches;
  private volatile int lid;
  private volatile long portSpeedBitsPerSecond;
  /** Used on the hardware thread. */
  private final List<Supplier<?>> shared = new ArrayList<>();

  /**
   * Creates an HCA without a cable. The caller spawns its actor by {@link HcaActor#create} and passes it to {@link #started}.
   *
   * @param virtualLanes number of virtual lanes of the fabric's links
   * @param onHardwareThread whether the calling thread is running the hardware actors
   */
  public ControlVerbs(String nodeName, HcaSettings settings, FabricContext context, int virtualLanes, BooleanSupplier onHardwareThread) {
    this.nodeName = nodeName;
    this.settings = settings;
    calls = new HardwareCalls(nodeName, settings, onHardwareThread, this::actor);
    events = new AsyncEventQueue(settings.asyncEventsMax());
    realTime = context.clock() == RealClock.INSTANCE;
    core = new PacketEngine(this, settings, calls, context, virtualLanes, events);
    ends = new DeviceShutdown(this, core, calls);
    memoryVerbs = new MemoryVerbs(this, calls, core.memory(), core.unpinned(), settings, core::enroll);
    domains = new DomainVerbs(this, calls, core.domains, settings);
    queues = new QueueVerbs(this, core, calls, settings);
    device = new DeviceQueries(this, settings);
    if (!realTime) {
      calls.useDoorbell(message -> ring(context, message));
    }
  }

  /** Sends a doorbell; if processors cost virtual time, only after the computation of the caller. */
  private void ring(FabricContext context, HardwareMessage message) {
    long precedingNs = contexts == null ? 0 : contexts.precedingNs(); // Null for a device without a node.
    if (precedingNs == 0) {
      calls.tell(message);
    } else {
      context.timers().at(context.clock().nowNs() + precedingNs, actor, message);
    }
  }

  @Override
  public void close(String reason, Runnable before) {
    ends.close(reason, before);
  }

  @Override
  public boolean isClosed() {
    return calls.isClosed();
  }

  DeviceShutdown ends() {
    return ends;
  }

  /** Reports that the actor runs; the code that spawned it calls this. */
  public void started(ActorRef<HardwareMessage> ref) {
    actor = ref;
  }

  void useContexts(ReceiveContexts hostContexts) {
    contexts = hostContexts;
  }

  @Override
  public ReceiveContexts contexts() {
    return contexts;
  }

  @Override
  public String nodeName() {
    return nodeName;
  }

  @Override
  public HcaSettings settings() {
    return settings;
  }

  @Override
  public HcaDevice device() {
    return device;
  }

  @Override
  public ActorRef<HardwareMessage> actor() {
    return actor;
  }

  @Override
  public int lid() {
    return lid;
  }

  @Override
  public int portMtuBytes() {
    return core.portMtuBytes();
  }

  @Override
  public long messageMaxBytes() {
    return settings.messageMaxBytes();
  }

  /** Sets the MTU of the link if it is less than {@code weft.hca.path-mtu-max}. The code that connects the HCA calls this before it starts. */
  public void limitPortMtu(int bytes) {
    core.setPortMtuBytes(Math.min(bytes, settings.pathMtuMaxBytes()));
  }

  /**
   * Sets the MTU of the paths to other ports if it is less than that of this port. The code that connects the HCA calls this before it starts.
   *
   * @param byLid largest payload in bytes on the path to a LID, also of a multicast group; any thread may call it
   */
  public void limitPathMtu(IntUnaryOperator byLid) {
    core.setPathMtu(byLid);
  }

  /** Sets the speed of the link, if it has one. The code that connects the HCA calls this. */
  public void setPortSpeed(long bitsPerSecond) {
    portSpeedBitsPerSecond = bitsPerSecond;
  }

  /** The speed of the link in bits per second; 0 if the link has no defined speed. */
  long portSpeedBitsPerSecond() {
    return portSpeedBitsPerSecond;
  }

  @Override
  public int datagramMaxBytes(int destLid) {
    return core.datagramMaxBytes(destLid);
  }

  @Override
  public void attachVm(HostVm vm) {
    Check.given("vm", vm);
    run(() -> core.attach(vm));
  }

  @Override
  public NicPagesSnapshot inspectVm() {
    return control(() -> core.unpinned().pages() == null ? null : core.unpinned().pages().snapshot());
  }

  @Override
  public void useEventCounters(QueuePair qp, EventCounters counters) {
    Check.given("qp", qp);
    Check.given("counters", counters);
    queues.useEventCounters((Qp) qp, counters);
  }

  @Override
  public void observeAtomics(MemoryRegion mr, AtomicObserver observer) {
    Check.given("mr", mr);
    run(() -> ((Mr) mr).observeAtomics(observer));
  }

  @Override
  public boolean isHardwareThread() {
    return calls.onHardwareThread();
  }

  @Override
  public void offerWriteWatches(WriteWatches offered) {
    writeWatches = offered;
  }

  @Override
  public WriteWatches writeWatches() {
    return writeWatches;
  }

  @Override
  public <T> T onHardware(Supplier<T> action) {
    Check.given("action", action);
    return control(action);
  }

  @Override
  public CompletionStage<NicPagesSnapshot> inspectVmLater() {
    return calls.later(() -> core.unpinned().pages() == null ? null : core.unpinned().pages().snapshot());
  }

  @Override
  public PageTableSnapshot inspectPages(int offset, int limit) {
    NicPages pages = core.unpinned().pages();
    return pages == null ? new PageTableSnapshot(0, 0, List.of()) : pages.vm().pages(offset, limit);
  }

  @Override
  public Runnable publish(Supplier<?> view) {
    Check.given("view", view);
    control(() -> shared.add(view));
    return () -> control(() -> shared.remove(view));
  }

  @Override
  public CompletionStage<List<Object>> inspectShared() {
    return calls.later(() -> {
      List<Object> views = new ArrayList<>();
      shared.forEach(view -> views.add(view.get()));
      return views;
    });
  }

  @Override
  public <T> CompletionStage<T> later(Supplier<T> action) {
    Check.given("action", action);
    return calls.later(action);
  }

  PacketEngine core() {
    return core;
  }

  void lidAssigned(int assigned) {
    lid = assigned;
  }

  @Override
  public ProtectionDomain allocPd() {
    return domains.allocPd();
  }

  @Override
  public void deallocPd(ProtectionDomain pd) {
    Check.given("pd", pd);
    domains.deallocPd((Pd) pd);
  }

  @Override
  public AddressHandle createAh(ProtectionDomain pd, int destLid, int serviceLevel) {
    Check.given("pd", pd);
    return domains.createAh((Pd) pd, destLid, serviceLevel);
  }

  @Override
  public AddressHandle createAh(ProtectionDomain pd, Gid gid, int serviceLevel) {
    Check.given("gid", gid);
    return createAh(pd, gid.lid(), serviceLevel);
  }

  @Override
  public AddressHandle createAhFromWc(ProtectionDomain pd, WorkCompletion wc) {
    Check.given("pd", pd);
    Check.given("wc", wc);
    if (!wc.hasGrh()) {
      throw new VerbsException(Errno.EINVAL, wc + " is not that of a received datagram");
    }
    return createAh(pd, wc.srcLid(), wc.serviceLevel());
  }

  @Override
  public void destroyAh(AddressHandle handle) {
    Check.given("handle", handle);
    domains.destroyAh((Ah) handle);
  }

  @Override
  public void attachMulticast(QueuePair qp, int groupLid) {
    Check.given("qp", qp);
    run(() -> core.attachMulticast((Qp) qp, groupLid));
  }

  @Override
  public void detachMulticast(QueuePair qp, int groupLid) {
    Check.given("qp", qp);
    giveBack(() -> core.detachMulticast((Qp) qp, groupLid));
  }

  @Override
  public MemorySegment allocMemory(Arena arena, long lengthBytes) {
    Check.given("arena", arena);
    return realTime ? SharedMemory.allocate(arena, lengthBytes, PAGE_BYTES)
        : arena.allocate(lengthBytes, PAGE_BYTES);
  }

  @Override
  public MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, int access) {
    Check.given("segment", segment);
    return regMr(pd, segment, segment.address(), access);
  }

  @Override
  public MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, long iova, int access) {
    Check.given("segment", segment);
    return memoryVerbs.register(Pd.of(this, pd), segment, iova, access, null);
  }

  @Override
  public MemoryRegion regMr(ProtectionDomain pd, MrInitAttr attr) {
    Check.given("attr", attr);
    return memoryVerbs.register(Pd.of(this, pd), attr);
  }

  @Override
  public void adviseMr(ProtectionDomain pd, MrAdvice advice, boolean wait, MemoryRegion mr, long offset, long lengthBytes) {
    Check.given("advice", advice);
    Check.given("mr", mr);
    memoryVerbs.advise(Pd.of(this, pd), advice, wait, (Mr) mr, offset, lengthBytes);
  }

  @Override
  public DeviceMemory allocDm(long lengthBytes) {
    return memoryVerbs.allocDm(lengthBytes);
  }

  @Override
  public void freeDm(DeviceMemory deviceMemory) {
    Check.given("deviceMemory", deviceMemory);
    memoryVerbs.free((Dm) deviceMemory);
  }

  @Override
  public PdBuffer allocBuffer(ProtectionDomain pd, long lengthBytes) {
    return memoryVerbs.allocBuffer(Pd.of(this, pd), lengthBytes);
  }

  @Override
  public void freeBuffer(PdBuffer buffer) {
    Check.given("buffer", buffer);
    memoryVerbs.free((PdBuf) buffer);
  }

  @Override
  public void deregMr(MemoryRegion mr) {
    Check.given("mr", mr);
    deregMrs(List.of(mr));
  }

  @Override
  public void deregMrs(List<MemoryRegion> regions) {
    Check.given("regions", regions).forEach(mr -> Check.given("region", mr));
    memoryVerbs.deregister(regions.stream().map(Mr.class::cast).toList());
  }

  @Override
  public MemoryRegion reregMr(MemoryRegion mr, int changes, ProtectionDomain pd, MemorySegment segment, long iova, int access) {
    Check.given("mr", mr);
    return memoryVerbs.reregister((Mr) mr, changes, pd, segment, iova, access);
  }

  @Override
  public CompletionQueue createCq(int cqe) {
    return createCq(cqe, ReceiveContext.POLLING, null);
  }

  @Override
  public CompletionQueue createCq(int cqe, ReceiveContext context, CompletionHandler handler) {
    Check.given("context", context);
    return queues.createCq(new CqExAttr(cqe, context, handler, false, false));
  }

  @Override
  public <T> CompletionQueue createCq(int cqe, ActorRef<T> consumer, T notice) {
    Check.given("consumer", consumer);
    Check.given("notice", notice);
    return queues.createCq(new CqExAttr(cqe, ReceiveContext.ISR, new ActorNotice<>(consumer, notice), false, false));
  }

  @Override
  public CompletionQueueEx createCqEx(CqExAttr attr) {
    Check.given("attr", attr);
    return new CqEx(queues.createCq(attr), attr.timestamps());
  }

  @Override
  public void destroyCq(CompletionQueue cq) {
    Check.given("cq", cq);
    giveBack(() -> core.queues().destroyCq((Cq) cq));
  }

  @Override
  public ParentDomain allocParentDomain(ProtectionDomain pd, QueueAllocator allocator) {
    return domains.allocParentDomain(Pd.of(this, pd), allocator);
  }

  @Override
  public void deallocParentDomain(ParentDomain domain) {
    Check.given("domain", domain);
    domains.deallocParentDomain((ParentPd) domain);
  }

  @Override
  public QueuePair createQp(ProtectionDomain pd, QpInitAttr attr) {
    Check.given("pd", pd);
    Check.given("attr", attr);
    return queues.createQp((Pd) pd, null, attr);
  }

  @Override
  public QueuePair createQp(ParentDomain domain, QpInitAttr attr) {
    Check.given("domain", domain);
    Check.given("attr", attr);
    return queues.createQp((Pd) domain.pd(), (ParentPd) domain, attr);
  }

  static void check(String name, int value, int low, int high) {
    if (value < low || value > high) {
      throw new VerbsException(Errno.EINVAL, name + " is " + value + ", must be from " + low + " to " + high);
    }
  }

  @Override
  public void destroyQp(QueuePair qp) {
    Check.given("qp", qp);
    giveBack(() -> core.queues().destroyQp((Qp) qp));
  }

  @Override
  public void observeAccesses(AccessObserver observer) {
    if (observer == null) {
      giveBack(() -> core.access().setObserver(null)); // Removing the observer must also work when the HCA has ended.
    } else {
      run(() -> core.access().setObserver(observer));
    }
  }

  @Override
  public AsyncEvent pollAsyncEvent() {
    return events.poll();
  }

  @Override
  public boolean armAsyncEvents(Runnable handler) {
    return events.arm(handler);
  }

  @Override
  public long asyncEventsLost() {
    return events.lost();
  }

  @Override
  public HcaSnapshot inspect() {
    return giveBack(() -> core.snapshot(nodeName));
  }

  @Override
  public SharedReceiveQueue createSrq(ProtectionDomain pd, SrqAttr attr) {
    Check.given("attr", attr);
    check("maxWr", attr.maxWr(), 1, settings.workRequestsMax());
    check("maxSge", attr.maxSge(), 0, settings.sgeMax());
    Pd own = Pd.of(this, pd);
    return control(() -> core.sharedReceiveQueues.create(own, attr));
  }

  @Override
  public void destroySrq(SharedReceiveQueue srq) {
    Check.given("srq", srq);
    giveBack(() -> core.sharedReceiveQueues.destroy((Srq) srq));
  }

  @Override
  public MemoryWindow allocMw(ProtectionDomain pd, MemoryWindow.Type type) {
    Check.given("type", type);
    Pd own = Pd.of(this, pd);
    return control(() -> core.windows().allocate(own, type));
  }

  @Override
  public void deallocMw(MemoryWindow window) {
    Check.given("window", window);
    Pd.of(this, window.pd());
    giveBack(() -> core.windows().deallocate((Mw) window));
  }

  @Override
  public int bindMw(QueuePair qp, MwBind bind, long wrId, int sendFlags) {
    Check.given("qp", qp);
    Check.given("bind", bind);
    return queues.bindMw((Qp) qp, bind, wrId, sendFlags);
  }

  @Override
  public CompletionCounter createCounter() {
    return control(core.completionCounters::create);
  }

  @Override
  public void destroyCounter(CompletionCounter counter) {
    Check.given("counter", counter);
    giveBack(() -> core.completionCounters.destroy((CompCounter) counter));
  }

  @Override
  public void attachCounter(QueuePair qp, CompletionCounter counter, Set<CompletionCounter.Operation> operations) {
    Check.given("qp", qp);
    Check.given("counter", counter);
    Check.given("operations", operations);
    queues.attachCounter((Qp) qp, (CompCounter) counter, operations);
  }

  private <T> T giveBack(Supplier<T> verb) {
    return calls.giveBack(verb);
  }

  private void giveBack(Runnable verb) {
    calls.giveBack(() -> {
      verb.run();
      return null;
    });
  }

  private <T> T control(Supplier<T> verb) {
    return calls.control(verb);
  }

  private void run(Runnable verb) {
    calls.control(() -> {
      verb.run();
      return null;
    });
  }
}
