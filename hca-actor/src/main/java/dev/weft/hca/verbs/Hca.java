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
 * The verbs interface of one HCA, as {@code ibv_context}. Any thread. Control verbs run on the hardware thread. If called on another thread, they wait
 * for it. A verb fails with ETIMEDOUT if the hardware thread has not begun it within {@code weft.hca.control-timeout}, and with EINTR if the caller is
 * interrupted before that; then it is not executed later either.
 */
public interface Hca extends Adapter {
  /**
   * Closes the HCA. Its queue pairs go to ERR and posted requests are flushed; all waits for completions, events and verbs end; nothing touches
   * registered memory any more. From then on, verbs that create or change objects fail with ENODEV. Verbs that release objects still work, completions
   * can be polled, and {@link #inspect} returns the final state. The fabric calls this; any thread; idempotent.
   *
   * @param before runs first, on the hardware thread
   */
  void close(String reason, Runnable before);

  /** Runs the handlers of this host; null before the HCA's actor is created. */
  ReceiveContexts contexts();

  /** The properties of the HCA: its limits, its port and its addresses. */
  HcaDevice device();

  /** The actor of this HCA, for the fabric and for inspection. */
  ActorRef<HardwareMessage> actor();

  /** The length in bytes of the longest message ({@code weft.hca.message-max}). */
  long messageMaxBytes();

  /** The length in bytes of the longest datagram that can reach the port or all ports of the multicast group of that LID, as far as known now. */
  int datagramMaxBytes(int destLid);

  /**
   * Attaches the virtual memory of the host, once. Its address spaces may then be registered with {@link Access#ON_DEMAND}.
   *
   * @throws VerbsException EBUSY if virtual memory is already attached
   */
  void attachVm(HostVm vm);

  /** Returns the state of the host's virtual memory and of the HCA's side of it; null if none is attached. */
  NicPagesSnapshot inspectVm();

  /**
   * Makes writes with immediate data to {@code qp} increment the counter that they name, instead of using a receive. The counters are detached when the
   * queue pair goes to ERR, is reset or is destroyed.
   *
   * @throws VerbsException EINVAL unless the queue pair is RC and in RESET or INIT
   */
  void useEventCounters(QueuePair qp, EventCounters counters);

  /** Sets the observer that is called for every atomic on that region; null for none. */
  void observeAtomics(MemoryRegion mr, AtomicObserver observer);

  /** Whether the caller is the hardware thread, which must not wait. */
  boolean isHardwareThread();

  /** Offers notifications of writes to memory that is registered here; a NIC of the same host calls this when it starts. */
  void offerWriteWatches(WriteWatches offered);

  /** The source of notifications of writes to registered memory; null if the host has no such NIC. */
  WriteWatches writeWatches();

  /** Runs an action on the hardware thread and returns its result; at once if the caller is that thread. The action must not block. */
  <T> T onHardware(Supplier<T> action);

  /** Like {@link #inspectVm}, without waiting; completes on the hardware thread. */
  CompletionStage<NicPagesSnapshot> inspectVmLater();

  /** Returns at most {@code limit} entries of the shadow page tables, from the {@code offset}th mapped page on. Any thread; never blocks. */
  PageTableSnapshot inspectPages(int offset, int limit);

  /**
   * Adds a view of an object that uses this HCA, such as a lock service, to its inspection. {@code view} runs on the hardware thread.
   *
   * @return removes the view
   */
  Runnable publish(Supplier<?> view);

  /** Returns the current results of all published views. */
  CompletionStage<List<Object>> inspectShared();

  /** Runs an action on the hardware thread without waiting; the stage has its result. The action must not block. */
  <T> CompletionStage<T> later(Supplier<T> action);

  /**
   * Allocates a protection domain.
   *
   * @throws VerbsException ENOMEM if the number of domains has reached {@code weft.hca.protection-domains-max}
   */
  ProtectionDomain allocPd();

  /** Deallocates a protection domain; EBUSY while regions or queue pairs belong to it. */
  void deallocPd(ProtectionDomain pd);

  /**
   * Creates an address handle.
   *
   * @param destLid LID of a port, 1 to 0xbfff, or of a multicast group, 0xc000 to 0xfffe
   * @param serviceLevel service level of the path, 0 to 15
   */
  AddressHandle createAh(ProtectionDomain pd, int destLid, int serviceLevel);

  /** Creates an address handle for the port that has that GID; EINVAL if it is not a GID of the fabric. */
  AddressHandle createAh(ProtectionDomain pd, Gid gid, int serviceLevel);

  /** Creates an address handle for the sender of a received datagram, as {@code ibv_create_ah_from_wc}. */
  AddressHandle createAhFromWc(ProtectionDomain pd, WorkCompletion wc);

  void destroyAh(AddressHandle handle);

  /**
   * Makes a datagram queue pair receive a copy of each packet to a multicast LID. Packets arrive only if the node has joined the group.
   *
   * @throws VerbsException EINVAL unless the queue pair is UD and the LID is a multicast LID; ENOMEM beyond the device's limit
   */
  void attachMulticast(QueuePair qp, int groupLid);

  /** Undoes {@link #attachMulticast}; EINVAL if the queue pair is not attached. */
  void detachMulticast(QueuePair qp, int groupLid);

  /**
   * Allocates zeroed, page-aligned memory that is best for transfers: other JVMs of this host can map it, so that they copy long messages directly out
   * of it, with one copy ({@link SharedMemory}). Other memory may also be registered, but then this copy needs a system call.
   *
   * @param arena determines the lifetime of the memory
   * @param lengthBytes more than 0
   */
  MemorySegment allocMemory(Arena arena, long lengthBytes);

  /** Registers native memory; the region's address space starts at the segment's native address. */
  MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, int access);

  /**
   * Registers native memory at an address of the caller's choice, or at 0 with {@link Access#ZERO_BASED}. Touches and locks its pages if
   * {@code weft.hca.pin-memory} is set and the limit on locked memory allows it.
   *
   * @throws VerbsException EINVAL for heap, empty, freed, read-only or thread-confined memory, or remote write or atomic access
   *     without local write; EFAULT if it has no pages, because the file that is mapped there was cut short; ENOMEM if the table is full
   */
  MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, long iova, int access);

  /**
   * Registers memory of any kind, or a part of it: memory of the consumer, a buffer of the domain, or memory of the HCA.
   *
   * @throws VerbsException as {@link #regMr(ProtectionDomain, MemorySegment, long, int)}; also EINVAL if the attributes do not name memory of exactly
   *     one kind, if the range is outside it, or if a requirement of that kind is not met
   */
  MemoryRegion regMr(ProtectionDomain pd, MrInitAttr attr);

  /**
   * Prepares a range of a region for traffic, without changing its contents; as {@code ibv_advise_mr}.
   *
   * @param wait whether to return only when the pages are present; otherwise the operating system is asked to bring them in. Pages of the host's
   *     virtual memory have then each been present once and may be evicted at any time; the hardware thread must not wait for them
   * @throws VerbsException EINVAL for a region that is not valid or of another domain, a range outside it, or waiting for virtual memory
   *     on the hardware thread; EFAULT if some of the virtual memory was unmapped or lost, or the file that is mapped there was cut short;
   *     EPERM for PREFETCH_WRITE without LOCAL_WRITE; EINTR if the caller was interrupted while it waited
   */
  void adviseMr(ProtectionDomain pd, MrAdvice advice, boolean wait, MemoryRegion mr, long offset, long lengthBytes);

  /**
   * Allocates memory of the HCA itself, filled with zeros.
   *
   * @throws VerbsException EINVAL unless {@code lengthBytes} is positive; ENOMEM if less than that remains of {@code weft.hca.device-memory-max};
   *     EOPNOTSUPP if that setting is 0
   */
  DeviceMemory allocDm(long lengthBytes);

  /** Frees device memory; EBUSY while regions are registered on it. After their {@link #deregMr} nothing touches it. */
  void freeDm(DeviceMemory deviceMemory);

  /** Allocates a page-aligned buffer that can be registered only in this domain and keeps the domain in use; EINVAL unless the length is positive. */
  PdBuffer allocBuffer(ProtectionDomain pd, long lengthBytes);

  /** Frees a buffer; EBUSY while regions are registered on it. */
  void freeBuffer(PdBuffer buffer);

  /**
   * Removes a region. When this returns, neither this JVM nor another JVM of this host touches the memory any more: it may be written to, freed and
   * unmapped. Operations in progress on the region fail: a packet in flight that refers to the memory counts as lost. When it is requested again, the
   * request ends with LOC_PROT_ERR if the memory is the requester's, otherwise with REM_ACCESS_ERR.
   *
   * <p>Waits some microseconds if another JVM is copying out of the memory. If that JVM is stopped during the copy, waits for at most a second; that JVM
   * finds that the packet is lost when it continues.
   */
  void deregMr(MemoryRegion mr);

  /** Removes several regions in one call to the hardware thread: all of them, or none if one cannot be removed. */
  void deregMrs(List<MemoryRegion> regions);

  /**
   * Changes the memory, the domain or the rights of a region, or several of them at once. Arguments that do not change may be null or 0.
   *
   * <p>If only the rights change, the region remains the same object with the same keys, and operations in progress continue. Otherwise the
   * keys change: this returns a new region, and the old one is invalid. Operations in progress on the old one fail as after {@link #deregMr}, and nothing
   * touches its memory any more.
   *
   * @param changes {@link Rereg} bits, at least one
   * @param iova first address of the new memory
   * @return the region to use from now on
   * @throws VerbsException EINVAL as {@link #regMr}, or if the region is not valid; EBUSY while windows are bound to it. The region is
   *     then as before
   */
  MemoryRegion reregMr(MemoryRegion mr, int changes, ProtectionDomain pd, MemorySegment segment, long iova, int access);

  /** Creates a completion queue of {@code cqe} entries for polling: {@link ReceiveContext#POLLING}. */
  CompletionQueue createCq(int cqe);

  /**
   * Creates a completion queue of {@code cqe} entries.
   *
   * @param handler called when an armed queue gets a completion; null with {@link ReceiveContext#POLLING}
   */
  CompletionQueue createCq(int cqe, ReceiveContext context, CompletionHandler handler);

  /**
   * Creates a completion queue of {@code cqe} entries that belongs to an actor. When the armed queue gets a completion, the actor receives {@code
   * notice}, once for each arming. The actor's dispatcher determines the context.
   */
  <T> CompletionQueue createCq(int cqe, ActorRef<T> consumer, T notice);

  /** Creates a completion queue that is read field by field; {@code attr} selects timestamps and polling without locks. */
  CompletionQueueEx createCqEx(CqExAttr attr);

  /** Destroys a completion queue; EBUSY while queue pairs use it. */
  void destroyCq(CompletionQueue cq);

  /** Allocates a parent domain, which keeps its protection domain in use. {@code allocator} may be null. */
  ParentDomain allocParentDomain(ProtectionDomain pd, QueueAllocator allocator);

  /** Deallocates a parent domain; EBUSY while it has queue pairs. */
  void deallocParentDomain(ParentDomain domain);

  /** Creates a queue pair in RESET. */
  QueuePair createQp(ProtectionDomain pd, QpInitAttr attr);

  /** Creates a queue pair in RESET with native memory from the parent domain's allocator; ENOMEM if the allocated memory is not usable. */
  QueuePair createQp(ParentDomain domain, QpInitAttr attr);

  void destroyQp(QueuePair qp);

  /** Sets the observer of other hosts' accesses to registered memory; null for none. */
  void observeAccesses(AccessObserver observer);

  /** Removes and returns the oldest asynchronous event, or null. {@code weft.hca.async-events-max} limits the number of waiting events. */
  AsyncEvent pollAsyncEvent();

  /**
   * Requests one call of {@code handler} at the next asynchronous event, even if that event is dropped. Replaces a handler that was not called yet; null
   * disarms. The handler runs on the hardware thread and must not block.
   *
   * @return whether events are already waiting; poll them before waiting. The handler is armed in this case too
   */
  boolean armAsyncEvents(Runnable handler);

  /** The number of asynchronous events that were dropped because the consumer did not fetch earlier ones. */
  long asyncEventsLost();

  /** Returns the current state of all objects; for a closed HCA, the final state. */
  HcaSnapshot inspect();

  /** Creates a queue of receives that several queue pairs share. Its limit event is not armed, even if {@code attr} has a limit. */
  SharedReceiveQueue createSrq(ProtectionDomain pd, SrqAttr attr);

  /** Destroys a shared receive queue and drops its posted receives; EBUSY while queue pairs use it. */
  void destroySrq(SharedReceiveQueue srq);

  /** Allocates an unbound memory window, which counts against {@code weft.hca.memory-regions-max}. */
  MemoryWindow allocMw(ProtectionDomain pd, MemoryWindow.Type type);

  /** Deallocates a window. When this returns, its key is invalid, and nothing reads memory through the window any more. */
  void deallocMw(MemoryWindow window);

  /**
   * Posts the binding of a type 1 window to the send queue of {@code qp}. It completes as BIND_MW, in order with the other requests. Ignores {@code
   * bind.rkey()}.
   *
   * @param sendFlags {@link SendFlags}
   * @return the key of the window after the binding has completed; then the old key is invalid
   * @throws VerbsException EINVAL for a type 2 window or a state before RTS; ENOMEM if the send queue is full
   */
  int bindMw(QueuePair qp, MwBind bind, long wrId, int sendFlags);

  /** Creates a completion counter without attachments. */
  CompletionCounter createCounter();

  /** Destroys a counter; EBUSY while it is attached to queue pairs. */
  void destroyCounter(CompletionCounter counter);

  /**
   * Makes {@code counter} count these operations of a queue pair until the queue pair is destroyed.
   *
   * @throws VerbsException EINVAL unless the queue pair is in RESET or INIT; EBUSY if one of the operations already has a counter
   */
  void attachCounter(QueuePair qp, CompletionCounter counter, Set<CompletionCounter.Operation> operations);
}
