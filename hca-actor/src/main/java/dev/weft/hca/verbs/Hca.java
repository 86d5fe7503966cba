package dev.weft.hca.verbs;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.memory.SharedMemory;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NicPagesSnapshot;
import dev.weft.hca.netvm.PageTableSnapshot;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The verbs interface of one HCA, as {@code ibv_context}. Any thread. Control verbs run on the hardware thread: called there they run
 * at once, called elsewhere they wait for it. One that the hardware thread has not taken up after {@code weft.hca.control-timeout} fails
 * with ETIMEDOUT, one whose caller is interrupted before that with EINTR; neither is done later.
 */
public interface Hca {
  /**
   * Ends the HCA: its queue pairs go to ERR and what is posted is flushed; whoever waits for a completion, an event or a verb is woken; nothing
   * touches registered memory any more. From then on verbs that make or change something are refused with ENODEV, those that give something
   * back still do, completions can be polled, and {@link #inspect} tells how it ended. Called by the fabric; any thread, and again without effect.
   *
   * @param before done before that, on the hardware thread
   */
  void close(String reason, Runnable before);

  /** Whether it was closed. */
  boolean isClosed();

  /** Who runs the handlers of this host; null before the HCA's actor is created. */
  ReceiveContexts contexts();

  String nodeName();

  HcaSettings settings();

  /** What the HCA is: its limits, its port, its addresses. */
  HcaDevice device();

  /** The actor of this HCA, for the fabric and for inspection. */
  ActorRef<HardwareMessage> actor();

  /** Local identifier of the port, 0 until the subnet manager has assigned one. */
  int lid();

  /** Longest packet in bytes that this port carries, as {@code active_mtu}; see {@link #datagramMaxBytes} for the way to a port. */
  int portMtuBytes();

  /** Longest message that is sent or placed ({@code weft.hca.message-max}). */
  long messageMaxBytes();

  /** Longest datagram in bytes that reaches the port, or all ports of the multicast group, of that LID, as far as is known now. */
  int datagramMaxBytes(int destLid);

  /**
   * Gives the HCA the virtual memory of its host, whose address spaces may then be registered with {@link Access#ON_DEMAND}; once.
   *
   * @throws VerbsException EBUSY if it has one already
   */
  void attachVm(HostVm vm);

  /** The state of the host's virtual memory and of what the HCA knows of it; null if none was attached. */
  NicPagesSnapshot inspectVm();

  /**
   * Lets writes with immediate data to {@code qp} increment the counter that they name, instead of taking a receive.
   * When that ends because the queue pair goes to ERR, is reset or destroyed, the counters are told.
   *
   * @throws VerbsException EINVAL unless the queue pair is RC and in RESET or INIT
   */
  void useEventCounters(QueuePair qp, EventCounters counters);

  /** Has {@code observer} told of every atomic on that region, null for nobody. */
  void observeAtomics(MemoryRegion mr, AtomicObserver observer);

  /** Whether the caller is the hardware thread, which must not wait for anything. */
  boolean isHardwareThread();

  /** A NIC of the same host can tell of writes to memory that is registered here; called when it starts. */
  void offerWriteWatches(WriteWatches offered);

  /** Who tells of writes to registered memory; null if the host has no NIC that can. */
  WriteWatches writeWatches();

  /** Runs something on the hardware thread and answers its result; at once if this is it. It may not block. */
  <T> T onHardware(Supplier<T> action);

  /** The same without waiting, for inspection; completed on the hardware thread. */
  CompletionStage<NicPagesSnapshot> inspectVmLater();

  /** Entries of the shadow page table, from the {@code offset}th mapped page on, at most {@code limit}. Any thread, never blocks. */
  PageTableSnapshot inspectPages(int offset, int limit);

  /**
   * Shows something that was built on this HCA, such as locks, in its inspection; {@code view} runs on the hardware thread.
   *
   * @return ends it
   */
  Runnable publish(Supplier<?> view);

  /** What was published, now. */
  CompletionStage<List<Object>> inspectShared();

  /** Runs something on the hardware thread and answers its result later; it may not block. */
  <T> CompletionStage<T> later(Supplier<T> action);

  /**
   * Allocates a protection domain.
   *
   * @throws VerbsException ENOMEM if there are {@code weft.hca.protection-domains-max} already
   */
  ProtectionDomain allocPd();

  /** Gives a protection domain back; EBUSY while regions or queue pairs belong to it. */
  void deallocPd(ProtectionDomain pd);

  /**
   * An address handle.
   *
   * @param destLid LID of a port, 1 to 0xbfff, or of a multicast group, 0xc000 to 0xfffe
   * @param serviceLevel service level of the path, 0 to 15
   */
  AddressHandle createAh(ProtectionDomain pd, int destLid, int serviceLevel);

  /** An address handle for the port that has that GID; EINVAL if it is not one of the fabric. */
  AddressHandle createAh(ProtectionDomain pd, Gid gid, int serviceLevel);

  /** An address handle for the sender of a received datagram, as {@code ibv_create_ah_from_wc}. */
  AddressHandle createAhFromWc(ProtectionDomain pd, WorkCompletion wc);

  void destroyAh(AddressHandle handle);

  /**
   * Lets a datagram queue pair have a copy of what comes for a multicast LID. What comes at all is what the node has joined.
   *
   * @throws VerbsException EINVAL unless it is a datagram queue pair and a multicast LID; ENOMEM beyond the device's limit
   */
  void attachMulticast(QueuePair qp, int groupLid);

  /** The opposite of {@link #attachMulticast}; EINVAL if it is not attached. */
  void detachMulticast(QueuePair qp, int groupLid);

  /**
   * Zeroed memory, aligned to pages, that is best for transfers: other JVMs of this host can map it, so that they take long messages out of it
   * with one copy ({@link SharedMemory}). Any memory may be registered; out of other memory that takes a system call.
   *
   * @param arena decides how long it lives
   * @param lengthBytes more than 0
   */
  MemorySegment allocMemory(Arena arena, long lengthBytes);

  /** Registers native memory; the region's address space starts at the segment's native address. */
  MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, int access);

  /**
   * Registers native memory at an address of the caller's choice, or at 0 with {@link Access#ZERO_BASED}. Touches and locks its pages
   * where {@code weft.hca.pin-memory} says
   * so and the limit on locked memory allows it.
   *
   * @throws VerbsException EINVAL for heap, empty, freed, read-only or thread-confined memory, or remote write or atomic access
   *     without local write; EFAULT if it has no pages, because the file that is mapped there was cut short; ENOMEM if the table is full
   */
  MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, long iova, int access);

  /**
   * The same for memory of any kind: that of the consumer, a buffer of the domain, or memory of the HCA; whole or in part.
   *
   * @throws VerbsException as {@link #regMr(ProtectionDomain, MemorySegment, long, int)}; EINVAL too unless there is memory of exactly one
   *     kind, a range inside it, and what that kind asks for
   */
  MemoryRegion regMr(ProtectionDomain pd, MrInitAttr attr);

  /**
   * Prepares a range of a region for traffic; as {@code ibv_advise_mr}. Changes no byte.
   *
   * @param wait whether the pages are there when this returns; otherwise the operating system is asked to bring them in. Pages of the host's
   *     virtual memory have been there then, each of them, and may go again at any time; the hardware thread must not wait for them
   * @throws VerbsException EINVAL for a region that is not valid or of another domain, a range outside it, or waiting for virtual memory
   *     on the hardware thread; EFAULT if some of the virtual memory was unmapped or lost, or the file that is mapped there was cut short;
   *     EPERM for PREFETCH_WRITE without LOCAL_WRITE; EINTR if the caller was interrupted while it waited
   */
  void adviseMr(ProtectionDomain pd, MrAdvice advice, boolean wait, MemoryRegion mr, long offset, long lengthBytes);

  /**
   * Memory of the HCA itself, zero.
   *
   * @throws VerbsException EINVAL unless {@code lengthBytes} is positive; ENOMEM if less is left of {@code weft.hca.device-memory-max};
   *     EOPNOTSUPP if that is 0
   */
  DeviceMemory allocDm(long lengthBytes);

  /** Gives device memory back; EBUSY while regions are registered on it, and after {@link #deregMr} nothing touches it. */
  void freeDm(DeviceMemory deviceMemory);

  /** A page-aligned buffer that is registered only in this domain, and keeps the domain; EINVAL unless the length is positive. */
  PdBuffer allocBuffer(ProtectionDomain pd, long lengthBytes);

  /** Gives a buffer back; EBUSY while regions are registered on it. */
  void freeBuffer(PdBuffer buffer);

  /**
   * Removes a region. When this returns, nothing touches the memory any more, within this JVM and in others of this host: it may be written to,
   * freed and unmapped. What is under way with it fails: a packet on its way that refers to the memory counts as lost, and when it is asked for
   * again the request ends with LOC_PROT_ERR, where it is the requester's memory, or REM_ACCESS_ERR.
   *
   * <p>Waits for another JVM that copies out of the memory just now, some microseconds. For one that is stopped in the middle of that it waits
   * no longer than a second; that JVM finds that what it copies is lost when it goes on.
   */
  void deregMr(MemoryRegion mr);

  /** The same for several regions in one visit to the hardware thread: all of them, or none if one is refused. */
  void deregMrs(List<MemoryRegion> regions);

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
  MemoryRegion reregMr(MemoryRegion mr, int changes, ProtectionDomain pd, MemorySegment segment, long iova, int access);

  /** A completion queue of {@code cqe} entries to be polled: {@link ReceiveContext#POLLING}. */
  CompletionQueue createCq(int cqe);

  /**
   * A completion queue of {@code cqe} entries.
   *
   * @param handler called when an armed queue gets a completion; null with {@link ReceiveContext#POLLING}
   */
  CompletionQueue createCq(int cqe, ReceiveContext context, CompletionHandler handler);

  /**
   * A completion queue of {@code cqe} entries that belongs to an actor: when it was armed and gets a completion, the actor is told
   * {@code notice}, once for each time that it was armed. The actor's dispatcher says in which context that is handled.
   */
  <T> CompletionQueue createCq(int cqe, ActorRef<T> consumer, T notice);

  /** A completion queue that is read field by field, with timestamps and without locks where {@code attr} says so. */
  CompletionQueueEx createCqEx(CqExAttr attr);

  /** Destroys a completion queue; EBUSY while queue pairs use it. */
  void destroyCq(CompletionQueue cq);

  /** A parent domain; it keeps its protection domain. {@code allocator} may be null. */
  ParentDomain allocParentDomain(ProtectionDomain pd, QueueAllocator allocator);

  /** Gives a parent domain back; EBUSY while queue pairs were created in it. */
  void deallocParentDomain(ParentDomain domain);

  /** A queue pair in RESET. */
  QueuePair createQp(ProtectionDomain pd, QpInitAttr attr);

  /** The same with native memory from the allocator of the parent domain; ENOMEM if that gives what cannot be used. */
  QueuePair createQp(ParentDomain domain, QpInitAttr attr);

  void destroyQp(QueuePair qp);

  /** Has one observer see what other hosts do to registered memory from now on; null for none. */
  void observeAccesses(AccessObserver observer);

  /** The oldest asynchronous event not fetched yet, or null. Bounded: see {@code weft.hca.async-events-max}. */
  AsyncEvent pollAsyncEvent();

  /**
   * Asks for one call of {@code handler} when the next asynchronous event comes, also if that is lost; takes the place of a handler
   * that was not called yet, null disarms. The handler runs on the hardware thread and may not block.
   *
   * @return whether events are waiting already; poll them before waiting. The handler is armed all the same
   */
  boolean armAsyncEvents(Runnable handler);

  /** Asynchronous events that were lost because nobody fetched them. */
  long asyncEventsLost();

  /** The state of everything, now; of an HCA that was closed, as it ended. */
  HcaSnapshot inspect();

  /** A queue of receives that several queue pairs share; its limit event is not armed, whatever {@code attr} says. */
  SharedReceiveQueue createSrq(ProtectionDomain pd, SrqAttr attr);

  /** Destroys a shared receive queue, and forgets the receives that are posted; EBUSY while queue pairs use it. */
  void destroySrq(SharedReceiveQueue srq);

  /** A memory window that is not bound; counts as one of {@code weft.hca.memory-regions-max}. */
  MemoryWindow allocMw(ProtectionDomain pd, MemoryWindow.Type type);

  /** Gives a window back; when this returns its key is invalid, and nothing reads what was bound to it through the window any more. */
  void deallocMw(MemoryWindow window);

  /**
   * Posts the binding of a type 1 window to the send queue of {@code qp}. It completes as BIND_MW, in order with the other requests.
   * {@code bind.rkey()} is ignored.
   *
   * @param sendFlags {@link SendFlags}
   * @return the key that the window has as soon as the binding has completed; the former one is invalid then
   * @throws VerbsException EINVAL for a type 2 window or a state before RTS; ENOMEM if the send queue is full
   */
  int bindMw(QueuePair qp, MwBind bind, long wrId, int sendFlags);

  /** A counter of completions, attached to nothing. */
  CompletionCounter createCounter();

  /** Destroys a counter; EBUSY while it is attached to queue pairs. */
  void destroyCounter(CompletionCounter counter);

  /**
   * Lets {@code counter} count these operations of a queue pair, until that is destroyed.
   *
   * @throws VerbsException EINVAL unless the queue pair is in RESET or INIT; EBUSY if one of the operations is counted already
   */
  void attachCounter(QueuePair qp, CompletionCounter counter, Set<CompletionCounter.Operation> operations);
}
