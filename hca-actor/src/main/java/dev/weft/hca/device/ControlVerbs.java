package dev.weft.hca.device;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.Check;
import dev.weft.fabric.memory.SharedMemory;
import dev.weft.fabric.time.FabricContext;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.completion.ActorNotice;
import dev.weft.hca.completion.CompCounter;
import dev.weft.hca.completion.Cq;
import dev.weft.hca.completion.CqEx;
import dev.weft.hca.memory.Dm;
import dev.weft.hca.memory.MemoryVerbs;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.memory.Mw;
import dev.weft.hca.memory.ParentPd;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.memory.PdBuf;
import dev.weft.hca.transport.Qp;
import dev.weft.hca.transport.Srq;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.AtomicObserver;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.CompletionHandler;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.CompletionQueueEx;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.DeviceMemory;
import dev.weft.hca.verbs.EventCounters;
import dev.weft.hca.verbs.Gid;
import dev.weft.hca.verbs.HcaSettings;
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
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The verbs of an HCA on its objects: checks the arguments of a consumer and passes the call to the hardware thread. Any thread. */
public final class ControlVerbs extends DeviceVerbs {
  private static final int PAGE_BYTES = 4096;

  private final boolean realTime;
  private final MemoryVerbs memoryVerbs;
  private final DomainVerbs domains;
  private final QueueVerbs queues;

  /**
   * Creates an HCA without a cable. The caller spawns its actor by {@link HcaActor#create} and passes it to {@link #started}.
   *
   * @param virtualLanes number of virtual lanes of the fabric's links
   * @param onHardwareThread whether the calling thread is running the hardware actors
   */
  public ControlVerbs(String nodeName, HcaSettings settings, FabricContext context, int virtualLanes, BooleanSupplier onHardwareThread) {
    super(nodeName, settings, context, virtualLanes, onHardwareThread);
    realTime = context.clock() == RealClock.INSTANCE;
    memoryVerbs = new MemoryVerbs(this, calls, core.memory(), core.unpinned(), settings, core::enroll);
    domains = new DomainVerbs(this, calls, core.domains, settings);
    queues = new QueueVerbs(this, core, calls, settings);
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
}
