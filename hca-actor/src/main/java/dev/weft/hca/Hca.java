package dev.weft.hca;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.VerbsException.Errno;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The verbs interface of one HCA, as {@code ibv_context}. Any thread. Control verbs run on the hardware thread: called there they run
 * at once, called elsewhere they wait for it, at most {@code weft.hca.control-timeout}.
 */
public final class Hca {
  private final String nodeName;
  private final HcaSettings settings;
  private final HcaCore core;
  private final AsyncEventQueue events;
  private final BooleanSupplier onHardwareThread;
  private volatile ActorRef<HardwareMessage> actor;
  private volatile int lid;
  private int nextPdHandle = 1;

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
  }

  /** The actor runs; called by whoever spawned it. */
  public void started(ActorRef<HardwareMessage> ref) {
    actor = ref;
  }

  public String nodeName() {
    return nodeName;
  }

  public HcaSettings settings() {
    return settings;
  }

  /** The actor of this HCA, for the fabric and for inspection. */
  public ActorRef<HardwareMessage> actor() {
    return actor;
  }

  /** Local identifier of the port, 0 until the subnet manager has assigned one. */
  public int lid() {
    return lid;
  }

  /** Longest packet in bytes that the fabric carries, and so the longest datagram; as {@code active_mtu}. */
  public int portMtuBytes() {
    return core.portMtuBytes();
  }

  /** What the links carry, where it is less than {@code weft.hca.path-mtu-max}; called by whoever cables the HCA, before it starts. */
  public void limitPortMtu(int bytes) {
    core.setPortMtuBytes(Math.min(bytes, settings.pathMtuMaxBytes()));
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
   * Registers native memory at an address of the caller's choice. Touches and locks its pages where {@code weft.hca.pin-memory} says
   * so and the limit on locked memory allows it.
   *
   * @throws VerbsException EINVAL for heap, empty, freed, read-only or thread-confined memory, or remote write or atomic access
   *     without local write; ENOMEM if the table is full
   */
  public MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, long iova, int access) {
    checkRegistration(pd, segment, access);
    boolean pinned = settings.pinMemory() && PageLocks.lock(segment);
    try {
      return control(() -> {
        if (pd.deallocated) {
          throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle() + " is deallocated");
        }
        MemoryRegion mr = new MemoryRegion(pd, segment, iova, core.memory.drawKey(), access, pinned);
        core.memory.add(mr);
        pd.useCount++;
        return mr;
      });
    } catch (VerbsException refused) {
      if (pinned) {
        PageLocks.unlock(segment);
      }
      throw refused;
    }
  }

  private void checkRegistration(ProtectionDomain pd, MemorySegment segment, int access) {
    if (pd.hca() != this) {
      throw new VerbsException(Errno.EINVAL, "the protection domain belongs to the HCA of " + pd.hca().nodeName());
    }
    if (!segment.isNative() || segment.byteSize() == 0) {
      throw new VerbsException(Errno.EINVAL, "only native, non-empty memory can be registered; allocate it from an Arena");
    }
    if (!segment.scope().isAlive()) {
      throw new VerbsException(Errno.EINVAL, "the Arena of the segment is closed");
    }
    if ((access & ~Access.ALL) != 0) {
      throw new VerbsException(Errno.EINVAL, "unknown access bits 0x" + Integer.toHexString(access & ~Access.ALL));
    }
    if ((access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) != 0 && (access & Access.LOCAL_WRITE) == 0) {
      throw new VerbsException(Errno.EINVAL, "remote write and atomic access need LOCAL_WRITE too");
    }
    if ((access & Access.LOCAL_WRITE) != 0 && segment.isReadOnly()) {
      throw new VerbsException(Errno.EINVAL, "the segment is read-only; register it without LOCAL_WRITE");
    }
    if (!segment.isAccessibleBy(HARDWARE)) {
      throw new VerbsException(Errno.EINVAL, "the segment is confined to one thread; allocate it from a shared or automatic Arena");
    }
  }

  /** Stands for any other thread; never started. */
  private static final Thread HARDWARE = Thread.ofPlatform().unstarted(() -> {});

  /** Removes a region. When this returns, the HCA does not touch the memory any more. */
  public void deregMr(MemoryRegion mr) {
    control(() -> {
      if (!core.memory.contains(mr)) {
        throw new VerbsException(Errno.EINVAL, mr + " is not registered with the HCA of " + nodeName);
      }
      core.memory.remove(mr);
      mr.pd().useCount--;
      return null;
    });
    if (mr.isPinned()) {
      PageLocks.unlock(mr.segment());
    }
  }

  /**
   * A completion queue of {@code cqe} entries.
   *
   * @param handler called when an armed queue gets a completion; null with {@link ReceiveContext#POLLING}
   */
  public CompletionQueue createCq(int cqe, ReceiveContext context, CompletionHandler handler) {
    if (cqe < 1 || cqe > settings.completionsMax()) {
      throw new VerbsException(Errno.EINVAL, "cqe is " + cqe + ", must be from 1 to " + settings.completionsMax());
    }
    if ((handler == null) != (context == ReceiveContext.POLLING)) {
      throw new VerbsException(Errno.EINVAL, context + (handler == null ? " needs a handler" : " takes no handler"));
    }
    return control(() -> core.createCq(cqe, context, handler));
  }

  /** Destroys a completion queue; EBUSY while queue pairs use it. */
  public void destroyCq(CompletionQueue cq) {
    control(() -> {
      core.destroyCq(cq);
      return null;
    });
  }

  /** A queue pair in RESET. */
  public QueuePair createQp(ProtectionDomain pd, QpInitAttr attr) {
    check("maxSendWr", attr.maxSendWr(), 1, settings.workRequestsMax());
    check("maxRecvWr", attr.maxRecvWr(), 0, settings.workRequestsMax());
    check("maxSendSge", attr.maxSendSge(), 0, settings.sgeMax());
    check("maxRecvSge", attr.maxRecvSge(), 0, settings.sgeMax());
    check("maxInlineData", attr.maxInlineData(), 0, settings.inlineMaxBytes());
    if (pd.hca() != this || attr.sendCq().hca() != this || attr.receiveCq().hca() != this) {
      throw new VerbsException(Errno.EINVAL, "protection domain and completion queues must belong to the HCA of " + nodeName);
    }
    return control(() -> core.createQp(pd, attr));
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

  /** The oldest asynchronous event not fetched yet, or null. Bounded: see {@code weft.hca.async-events-max}. */
  public AsyncEvent pollAsyncEvent() {
    return events.poll();
  }

  /** Asynchronous events that were lost because nobody fetched them. */
  public long asyncEventsLost() {
    return events.lost();
  }

  /** The state of everything, now. */
  public HcaSnapshot inspect() {
    return control(() -> core.snapshot(nodeName));
  }

  private <T> T control(Supplier<T> verb) {
    if (onHardwareThread.getAsBoolean()) {
      return verb.get();
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    actor.tell(new HcaActor.Control(() -> {
      try {
        result.complete(verb.get());
      } catch (RuntimeException | Error failed) {
        // Goes to the caller; it must not end the HCA's actor.
        result.completeExceptionally(failed);
      }
    }));
    try {
      return result.get(settings.controlTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof VerbsException refused) {
        throw refused;
      }
      throw new IllegalStateException("the HCA of " + nodeName + " could not do it: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new VerbsException(Errno.EBUSY, "the HCA of " + nodeName + " did not answer within " + settings.controlTimeout());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VerbsException(Errno.EBUSY, "interrupted while waiting for the HCA of " + nodeName);
    }
  }
}
